package io.ratelimit.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.CountingRateLimiter;
import io.ratelimit.testing.ManualTime;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LeasingRateLimiterTest {

    private static final Limit LIMIT =
            hourly("api", Algorithm.FIXED_WINDOW, 100).withLease(10);

    private final ManualTime time = new ManualTime(TestTime.at("12:00:00"));
    private final RateLimiter memory = InMemoryRateLimiter.create(100, time.clock());
    private final CountingRateLimiter store = new CountingRateLimiter(memory);
    private final LeasingRateLimiter limiter =
            new LeasingRateLimiter(store, time::nanos, time.scheduler(), Runnable::run, 100);

    @Test
    void asksTheStoreOnceForAsManyDecisionsAsALeaseHolds() {
        assertThat(admitted(30, LIMIT)).isEqualTo(30);

        assertThat(store.asked).hasValue(3);
        assertThat(used(LIMIT)).isEqualTo(30);
    }

    @Test
    void tellsWhatTheStoreHadLeftAndWhatIsLeftHere() {
        assertThat(acquire(LIMIT, 1).remaining()).isEqualTo(99);
        time.passMicros(400_000);

        Decision second = acquire(LIMIT, 3);

        assertThat(second.remaining()).isEqualTo(96);
        assertThat(second.limits().get(0).limit()).isEqualTo(LIMIT);
        assertThat(second.limits().get(0).resetAfter())
                .isEqualTo(Duration.ofHours(1).minusMillis(400));
        assertThat(peek(limiter, LIMIT)).isEqualTo(96);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void admitsTheWholeQuotaAndThenRefusesAsTheStoreDoes(Algorithm algorithm) {
        Limit limit = hourly("api", algorithm, 25).withLease(10);

        assertThat(admitted(40, limit)).isEqualTo(25);

        Decision refused = acquire(limit, 1);
        assertThat(refused).isEqualTo(memory.acquire(Acquisition.of(limit, "eve")));
        Duration free = algorithm.isReleased() ? refused.limits().get(0).resetAfter() : refused.retryAfter();
        time.passMicros(free.toNanos() / 1_000);
        assertThat(acquire(limit, 1).allowed()).isTrue();
    }

    @Test
    void givesBackWhatIsLeftForADearerCallAndHoldsNoMoreThanALease() {
        acquire(LIMIT, 8);

        assertThat(acquire(LIMIT, 5).allowed()).isTrue();

        assertThat(used(LIMIT)).isEqualTo(18);
        assertThat(acquire(LIMIT, 5).allowed()).isTrue();
        assertThat(store.asked).hasValue(2);
    }

    @Test
    void givesBackWhatIsLeftBeforeADearerCallIsRefused() {
        Limit limit = hourly("api", Algorithm.SLIDING_WINDOW_LOG, 10).withLease(10);
        acquire(limit, 8);

        Decision refused = acquire(limit, 5);

        assertThat(refused.allowed()).isFalse();
        assertThat(used(limit)).isEqualTo(8);
        assertThat(acquire(limit, 2).allowed()).isTrue();
    }

    @Test
    void admitsADearerCallThatFitsOnceWhatIsLeftHasGoneBack() {
        Limit limit = hourly("api", Algorithm.FIXED_WINDOW, 12).withLease(10);

        assertThat(acquire(limit, 6).allowed()).isTrue();
        assertThat(acquire(limit, 6).allowed()).isTrue();
        assertThat(acquire(limit, 1).allowed()).isFalse();
    }

    @Test
    void asksTheStoreForWhatCostsMoreThanALease() {
        assertThat(acquire(LIMIT, 11).allowed()).isTrue();

        assertThat(used(LIMIT)).isEqualTo(11);
    }

    @Test
    void leavesAcquisitionsOfSeveralLimitsAndLimitsWithoutLeaseAlone() {
        Limit plain = hourly("plain", Algorithm.FIXED_WINDOW, 100);
        limiter.acquire(Acquisition.of(LIMIT, "eve").and(plain, "eve"));
        acquire(plain, 1);

        assertThat(used(LIMIT)).isEqualTo(1);
        assertThat(used(plain)).isEqualTo(2);
    }

    @Test
    void putsARefundBackIntoTheLeaseItCameFrom() {
        Decision served = acquire(LIMIT, 4);
        limiter.refund(Acquisition.of(LIMIT, "eve", 4), served);

        assertThat(used(LIMIT)).isEqualTo(10);
        assertThat(admitted(10, LIMIT)).isEqualTo(10);
        assertThat(store.asked).hasValue(1);
    }

    @Test
    void theStoreChargesWhatACallCostMoreThanItWasCharged() {
        Decision served = acquire(LIMIT, 4);
        limiter.settle(Acquisition.of(LIMIT, "eve", 4), served, 7);

        assertThat(used(LIMIT)).isEqualTo(10 + 3);
    }

    private Decision acquire(Limit limit, long cost) {
        return limiter.acquire(Acquisition.of(limit, "eve", cost));
    }

    private long admitted(int calls, Limit limit) {
        return IntStream.range(0, calls)
                .filter(i -> acquire(limit, 1).allowed())
                .count();
    }

    private long used(Limit limit) {
        return limit.maxRequests() - peek(memory, limit);
    }

    private static long peek(RateLimiter limiter, Limit limit) {
        return limiter.peek(Acquisition.of(limit, "eve")).remaining();
    }

    private static Limit hourly(String name, Algorithm algorithm, long maxRequests) {
        return Limit.of(name, algorithm, maxRequests, Duration.ofHours(1));
    }
}
