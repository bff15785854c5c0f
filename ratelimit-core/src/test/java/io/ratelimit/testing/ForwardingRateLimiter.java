package io.ratelimit.testing;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * Forwards everything but acquisitions to another limiter, which a layer overrides where it does more. It does not
 * forward {@code acquire}, because that would bypass the layer's {@code acquireAsync}. Thread-safe.
 */
public abstract class ForwardingRateLimiter implements RateLimiter {

    protected final RateLimiter limiter;

    protected ForwardingRateLimiter(RateLimiter limiter) {
        this.limiter = limiter;
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return limiter.peekAsync(acquisition);
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        return limiter.settleAsync(acquisition, decision, actual);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return limiter.resetAsync(limit, subject);
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        return limiter.banAsync(limit, subject);
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        return limiter.unbanAsync(limit, subject);
    }

    @Override
    public CompletionStage<Void> capAsync(Limit limit, String subject, long remaining, Duration length) {
        return limiter.capAsync(limit, subject, remaining, length);
    }
}
