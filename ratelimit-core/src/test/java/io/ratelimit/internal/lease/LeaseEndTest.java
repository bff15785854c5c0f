package io.ratelimit.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When leases are over, and what becomes of what is left of them. */
class LeaseEndTest {

    private static final Limit LIMIT =
            Limit.of("api", Algorithm.FIXED_WINDOW, 100, Duration.ofHours(1)).withLease(10);

    private static final Limit RAISED =
            Limit.of("api", Algorithm.FIXED_WINDOW, 200, Duration.ofHours(1)).withLease(10);

    private final ManualTime time = new ManualTime(TestTime.at("12:00:00"));
    private final RateLimiter memory = InMemoryRateLimiter.create(100, time.clock());
    private final CountingRateLimiter store = new CountingRateLimiter(memory);
    private final LeasingRateLimiter limiter =
            new LeasingRateLimiter(store, time::nanos, time.scheduler(), Runnable::run, 100);

    @Test
    void givesBackWhatIsUnusedAfterASecondThoughNobodyCalls() {
        acquire(3);
        assertThat(used()).isEqualTo(10);

        time.passMicros(999_999);
        assertThat(used()).isEqualTo(10);
        time.passMicros(1);

        assertThat(used()).isEqualTo(3);
        assertThat(acquire(1).allowed()).isTrue();
        assertThat(store.asked).hasValue(2);
    }

    @Test
    void doesNotServeALeaseThatIsASecondOldThoughNoAlarmRang() {
        LeasingRateLimiter deaf = new LeasingRateLimiter(
                store, time::nanos, (nanos, action) -> new CompletableFuture<>(), Runnable::run, 100);
        deaf.acquire(Acquisition.of(LIMIT, "eve", 3));
        time.passSeconds(1);

        assertThat(deaf.acquire(Acquisition.of(LIMIT, "eve")).allowed()).isTrue();

        assertThat(store.asked).hasValue(2);
        assertThat(used()).isEqualTo(13);
    }

    @Test
    void rearmsForALeaseThatIsNewerThanTheAlarm() {
        acquire(10);
        time.passMicros(500_000);
        acquire(1);

        time.passMicros(500_000);
        assertThat(used()).isEqualTo(20);
        time.passMicros(500_000);
        assertThat(used()).isEqualTo(11);
    }

    @Test
    void aBlockEndsALeaseAndGivesBackTheRest() {
        acquire(3);

        limiter.block(LIMIT, "eve", Duration.ofSeconds(30));

        Decision refused = acquire(1);
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(30));
        time.passSeconds(30);
        assertThat(used()).isEqualTo(3);
        assertThat(acquire(1).allowed()).isTrue();
    }

    @Test
    void givesARefundBackToTheStoreWhenTheLeaseIsOver() {
        Decision served = acquire(4);
        time.passSeconds(1);
        limiter.refund(Acquisition.of(LIMIT, "eve", 4), served);

        assertThat(used()).isZero();
    }

    @Test
    void givesBackAllWhenClosedAndAsksTheStoreFromThenOn() {
        acquire(3);

        limiter.close();

        assertThat(used()).isEqualTo(3);
        acquire(1);
        assertThat(used()).isEqualTo(4);
    }

    @Test
    void aCallDuringCloseMakesNoLeaseThatNobodyGivesBack() {
        AtomicReference<Runnable> beforeLookup = new AtomicReference<>(() -> {});
        Ticker ticker = () -> {
            beforeLookup.getAndSet(() -> {}).run();
            return time.nanos();
        };
        LeasingRateLimiter closing = new LeasingRateLimiter(store, ticker, time.scheduler(), Runnable::run, 100);

        beforeLookup.set(closing::close);
        closing.acquireAsync(Acquisition.of(LIMIT, "eve"));

        assertThat(used()).isEqualTo(1);
    }

    @Test
    void aResetEndsTheLeaseToo() {
        acquire(3);

        limiter.reset(LIMIT, "eve");

        assertThat(used()).isZero();
        assertThat(acquire(1).remaining()).isEqualTo(99);
        assertThat(store.asked).hasValue(2);
        time.passSeconds(1);
        assertThat(used()).as("only the new lease is given back").isEqualTo(1);
    }

    @Test
    void aResetEndsNoLeaseOfOthers() {
        limiter.acquire(Acquisition.of(LIMIT, "bob"));

        limiter.reset(LIMIT, "eve");

        assertThat(limiter.acquireAsync(Acquisition.of(LIMIT, "bob")).toCompletableFuture())
                .isCompletedWithValueMatching(Decision::allowed);
        assertThat(store.asked).hasValue(1);
        assertThat(limiter.leases()).isEqualTo(1);
    }

    @Test
    void isHeldForASecond() {
        acquire(1);
        assertThat(limiter.leases()).isEqualTo(1);

        time.passSeconds(1);

        assertThat(limiter.leases()).isZero();
    }

    /** Over the end of a window an instance holds at most one lease, however often the numbers change. */
    @Test
    void aCallOfOtherNumbersEndsTheLease() {
        Decision served = acquire(3);

        limiter.acquire(Acquisition.of(RAISED, "eve"));
        assertThat(used()).isEqualTo(13);
        acquire(2);
        assertThat(used()).isEqualTo(14);

        limiter.refund(Acquisition.of(LIMIT, "eve", 3), served);
        assertThat(used()).isEqualTo(11);
        assertThat(limiter.leases()).isEqualTo(1);
    }

    @Test
    void givesBackLeasesThatAreOneTooMany() {
        LeasingRateLimiter small = new LeasingRateLimiter(store, time::nanos, time.scheduler(), Runnable::run, 5);
        for (int i = 0; i < 50; i++) {
            small.acquire(Acquisition.of(LIMIT, "user" + i));
        }
        time.passMicros(0);

        long unused = IntStream.range(0, 50)
                .mapToLong(
                        i -> 99 - memory.peek(Acquisition.of(LIMIT, "user" + i)).remaining())
                .sum();
        assertThat(unused).isLessThanOrEqualTo(6 * 9);
    }

    private Decision acquire(long cost) {
        return limiter.acquire(Acquisition.of(LIMIT, "eve", cost));
    }

    private long used() {
        return 100 - memory.peek(Acquisition.of(LIMIT, "eve")).remaining();
    }
}
