package io.ratelimit.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.RateLimiterContract;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.TestTime;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InMemoryRateLimiterTest extends RateLimiterContract {

    private final AtomicLong clock = new AtomicLong();
    private final InMemoryRateLimiter limiter = InMemoryRateLimiter.create(1_000, clock::get);

    @Override
    public RateLimiter limiter() {
        return limiter;
    }

    @Override
    public void setClock(long micros) {
        clock.set(micros);
    }

    /** Each holds a frame of the stack. */
    @Test
    void manyChargesAreOneDecision() {
        Limit once = Limit.of("once", Algorithm.FIXED_WINDOW, 1, Duration.ofHours(1));
        Acquisition all = new Acquisition(IntStream.range(0, 50_000)
                .mapToObj(user -> new Charge(once, "user" + user, 1))
                .toList());
        InMemoryRateLimiter large = InMemoryRateLimiter.create(100_000, clock::get);

        assertThat(large.acquire(all).allowed()).isTrue();
        assertThat(large.acquire(Acquisition.of(once, "user0")).allowed()).isFalse();
        assertThat(large.acquire(Acquisition.of(once, "user49999")).allowed()).isFalse();
    }

    /** The cache drops what exceeds it on the thread of the call that adds it. */
    @Test
    void oneCallMayHaveMoreSubjectsThanAreKept() {
        Limit five = Limit.of("five", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1));
        InMemoryRateLimiter small = InMemoryRateLimiter.create(1, clock::get);

        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> Threads.run(4, thread -> () -> {
                    for (int i = 0; i < 1_000; i++) {
                        String user = thread + " " + i;
                        Acquisition three = Acquisition.of(five, user + " a")
                                .and(five, user + " b")
                                .and(five, user + " c");
                        small.refund(three, small.acquire(three));
                    }
                    return true;
                }));

        assertThat(small.subjects()).isLessThanOrEqualTo(3);
    }

    @Test
    void resetAllForgetsEverySubjectOfEveryLimit() {
        Limit hourly = Limit.of("hourly", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1));
        Limit daily = Limit.of("daily", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofDays(1));
        String kept = "k".repeat(8_000); // by its hash
        List<Acquisition> calls =
                List.of(Acquisition.of(hourly, "alice"), Acquisition.of(hourly, "bob"), Acquisition.of(daily, kept));
        try (RateLimiterStack stack =
                RateLimiterStack.inMemory().memory(limiter).build()) {
            calls.forEach(stack::acquire);
            assertThat(calls)
                    .allSatisfy(
                            call -> assertThat(limiter.peek(call).remaining()).isEqualTo(4));

            limiter.resetAll();
            assertThat(calls)
                    .allSatisfy(call -> assertThat(stack.peek(call).remaining()).isEqualTo(5));
        }
    }

    /** A stack answers such a charge itself; the store alone decides a limit that only reports as any other. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aCostThatNeverFitsALimitThatOnlyReportsIsRefusedForAWindow(Algorithm algorithm) {
        setClock(TestTime.at("12:00:00"));
        Limit five = Limit.of("five", algorithm, 5, Duration.ofMinutes(1)).withReportOnly();
        Limit other = Limit.of("other", algorithm, 9, Duration.ofMinutes(1));
        assertThat(limiter.acquire(Acquisition.of(five, "alice")).allowed()).isTrue();

        for (long cost : new long[] {6, 1L << 62, Long.MAX_VALUE}) {
            Acquisition alone = Acquisition.of(five, "alice", cost);
            for (Acquisition call : List.of(alone, alone.and(other, "alice"))) {
                LimitStatus status = limiter.acquire(call).limits().get(0);

                assertThat(status.retryAfter()).isEqualTo(Duration.ofMinutes(1));
                assertThat(status.remaining()).isEqualTo(4);
            }
        }
        assertThat(remaining(other, "alice")).isEqualTo(9);
    }

    @Test
    void costsOfOneSubjectThatNeverFitTogetherAreRefusedForAWindow() {
        setClock(TestTime.at("12:00:00"));
        Limit five = Limit.of("five", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMinutes(1))
                .withReportOnly();
        Limit six = Limit.of("five", Algorithm.SLIDING_WINDOW_LOG, 6, Duration.ofMinutes(1))
                .withReportOnly();

        Decision refused = limiter.acquire(Acquisition.of(five, "alice", 5).and(six, "alice", 5));

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.limits())
                .extracting(LimitStatus::retryAfter)
                .containsExactly(Duration.ZERO, Duration.ofMinutes(1));
    }

    @Test
    void costsOfOneSubjectThatNoNumberHoldsAreRefusedForAWindow() {
        setClock(TestTime.at("12:00:00"));
        Limit five = Limit.of("five", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1))
                .withReportOnly();
        Limit six = Limit.of("five", Algorithm.FIXED_WINDOW, 6, Duration.ofMinutes(1))
                .withReportOnly();
        Limit seven = Limit.of("five", Algorithm.FIXED_WINDOW, 7, Duration.ofMinutes(1))
                .withReportOnly();

        Decision refused = limiter.acquire(Acquisition.of(five, "alice", Long.MAX_VALUE)
                .and(six, "alice", Long.MAX_VALUE)
                .and(seven, "alice", 1));

        assertThat(refused.limits())
                .extracting(LimitStatus::retryAfter)
                .containsOnly(Duration.ofMinutes(1))
                .hasSize(3);
    }
}
