package io.ratelimit;

import io.ratelimit.internal.waiting.WaitingRateLimiter;
import io.ratelimit.testing.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A waiting limiter over an empty store, which decides at once, at a time that the test advances. */
public interface WaitingUnderTest {

    Limit ONE_PER_SECOND = Limit.of("one", Algorithm.TOKEN_BUCKET, 1, Duration.ofSeconds(1));
    Acquisition ONE = Acquisition.of(ONE_PER_SECOND, "alice");

    RateLimiter store();

    WaitingRateLimiter limiter();

    ManualTime time();

    /** Acquires, and waits for so many seconds at most. */
    default CompletableFuture<Decision> waits(Acquisition acquisition, long seconds) {
        return limiter().acquireAsync(acquisition, Duration.ofSeconds(seconds)).toCompletableFuture();
    }

    /** Uses up a limit. */
    default void useUp(Limit limit) {
        store().acquire(Acquisition.of(limit, "alice", limit.capacity()));
    }
}
