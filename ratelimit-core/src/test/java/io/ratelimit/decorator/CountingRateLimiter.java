package io.ratelimit.decorator;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts how often its limiter is asked. */
final class CountingRateLimiter implements RateLimiter {

    final AtomicInteger asked = new AtomicInteger();
    private final RateLimiter limiter;

    CountingRateLimiter(RateLimiter limiter) {
        this.limiter = limiter;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        asked.incrementAndGet();
        return limiter.acquireAsync(acquisition);
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
