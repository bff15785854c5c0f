package io.ratelimit.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.ManualTime;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/** Settling calls that did not fit into what was left of a lease. */
class LeaseSettlementTest {

    private final ManualTime time = new ManualTime(TestTime.at("11:59:59.9"));
    private final RateLimiter memory = InMemoryRateLimiter.create(100, time.clock());
    private final LeasingRateLimiter limiter =
            new LeasingRateLimiter(memory, time::nanos, time.scheduler(), Runnable::run, 100);

    @Test
    void releasesAllSlotsOfACallThatCostMoreThanWasLeft() {
        Limit limit = Limit.of("atOnce", Algorithm.CONCURRENCY, 20, Duration.ofMinutes(10))
                .withLease(10);
        Decision first = acquire(limit, 8);
        time.passMicros(200_000);
        Decision second = acquire(limit, 5);

        limiter.release(Acquisition.of(limit, "eve", 8), first);
        limiter.release(Acquisition.of(limit, "eve", 5), second);
        time.passSeconds(1);

        assertThat(remaining(limit)).isEqualTo(20);
    }

    @Test
    void refundsACallOfThisWindowThatCostMoreThanWasLeftOfTheLast() {
        Limit limit = Limit.of("api", Algorithm.FIXED_WINDOW, 100, Duration.ofHours(1))
                .withLease(10);
        acquire(limit, 8);
        time.passMicros(200_000);
        Decision second = acquire(limit, 5);

        limiter.refund(Acquisition.of(limit, "eve", 5), second);
        time.passSeconds(1);

        assertThat(remaining(limit)).isEqualTo(100);
    }

    /** Sixteen at a time, each for 3 ms, as those of which failures alone count and none fails. */
    @Test
    void aLeasedBucketIsGivenBackAllOfCallsThatOverlap() {
        Limit limit = Limit.of("own", Algorithm.TOKEN_BUCKET, 100, Duration.ofSeconds(1))
                .withLease(2);
        Deque<Decision> inFlight = new ArrayDeque<>();
        for (int i = 0; i < 16_000; i++) {
            if (inFlight.size() == 16) {
                limiter.settle(Acquisition.of(limit, "eve"), inFlight.remove(), 0);
            }
            Decision decision = acquire(limit, 1);
            assertThat(decision.allowed()).as("call %d", i).isTrue();
            inFlight.add(decision);
            time.passMicros(3_000 / 16);
        }
    }

    private Decision acquire(Limit limit, long cost) {
        return limiter.acquire(Acquisition.of(limit, "eve", cost));
    }

    private long remaining(Limit limit) {
        return memory.peek(Acquisition.of(limit, "eve")).remaining();
    }
}
