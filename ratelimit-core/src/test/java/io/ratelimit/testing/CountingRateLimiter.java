package io.ratelimit.testing;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts how often its limiter is asked, and fails as a store does that cannot be reached while a test says so. */
public final class CountingRateLimiter implements RateLimiter {

    public final AtomicInteger asked = new AtomicInteger();
    public volatile boolean broken;
    private final RateLimiter limiter;

    public CountingRateLimiter(RateLimiter limiter) {
        this.limiter = limiter;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        asked.incrementAndGet();
        return broken
                ? CompletableFuture.failedFuture(new StoreUnavailableException("broken by the test"))
                : limiter.acquireAsync(acquisition);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return limiter.peekAsync(acquisition);
    }

    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        return limiter.refundAsync(acquisition, decision);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return limiter.resetAsync(limit, subject);
    }
}
