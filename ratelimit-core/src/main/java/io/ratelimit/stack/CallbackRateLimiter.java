package io.ratelimit.stack;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.ForwardingRateLimiter;
import io.ratelimit.internal.Stages;
import java.util.concurrent.CompletionStage;

/**
 * Completes all stages on threads for callbacks, for layers of the application around it: they may add a callback even to
 * the stage of a call that blocks, which would otherwise complete on an I/O thread of the store. Thread-safe.
 */
final class CallbackRateLimiter extends ForwardingRateLimiter {

    CallbackRateLimiter(RateLimiter limiter) {
        super(limiter);
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        return limiter.acquire(acquisition);
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return Stages.startForCallbacks(() -> limiter.acquireAsync(acquisition));
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return Stages.startForCallbacks(() -> limiter.peekAsync(acquisition));
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        return Stages.startForCallbacks(() -> limiter.settleAsync(acquisition, decision, actual));
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return Stages.startForCallbacks(() -> limiter.resetAsync(limit, subject));
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        return Stages.startForCallbacks(() -> limiter.banAsync(limit, subject));
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        return Stages.startForCallbacks(() -> limiter.unbanAsync(limit, subject));
    }
}
