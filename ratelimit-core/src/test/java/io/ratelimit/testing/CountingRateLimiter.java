package io.ratelimit.testing;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the acquisitions of a limiter, and fails them, peeks and blocks like an unreachable store while a test has switched that on. */
public final class CountingRateLimiter extends ForwardingRateLimiter {

    public final AtomicInteger asked = new AtomicInteger();

    public final AtomicInteger peeked = new AtomicInteger();

    /** The sum of the costs of all calls. */
    public final AtomicLong cost = new AtomicLong();

    public volatile boolean broken;

    public CountingRateLimiter(RateLimiter limiter) {
        super(limiter);
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        asked.incrementAndGet();
        acquisition.charges().forEach(charge -> cost.addAndGet(charge.cost()));
        return broken ? failed() : limiter.acquireAsync(acquisition);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        peeked.incrementAndGet();
        return broken ? failed() : limiter.peekAsync(acquisition);
    }

    @Override
    public CompletionStage<Void> capAsync(Limit limit, String subject, long remaining, Duration length) {
        return broken ? failed() : limiter.capAsync(limit, subject, remaining, length);
    }

    private static <T> CompletionStage<T> failed() {
        return CompletableFuture.failedFuture(new StoreUnavailableException("broken by the test"));
    }
}
