package io.ratelimit.stack;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.ForwardingRateLimiter;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.Settlements;
import io.ratelimit.internal.Stages;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Passes each decision and settlement to the listeners. The stack has this layer only if there are listeners. Thread-safe. */
final class ListeningRateLimiter extends ForwardingRateLimiter {

    private final Listeners<DecisionListener> listeners;

    ListeningRateLimiter(RateLimiter limiter, List<DecisionListener> listeners) {
        super(limiter);
        this.listeners = new Listeners<>(listeners);
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        Decision decision;
        try {
            decision = limiter.acquire(acquisition);
        } catch (RuntimeException failure) {
            listeners.each(listener -> listener.onFailure(acquisition, failure));
            throw failure;
        }
        listeners.each(listener -> listener.onDecision(acquisition, decision));
        return decision;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return limiter.acquireAsync(acquisition).whenComplete((decision, failure) -> {
            if (failure == null) {
                listeners.each(listener -> listener.onDecision(acquisition, decision));
            } else if (Stages.unwrap(failure) instanceof RuntimeException cause) {
                listeners.each(listener -> listener.onFailure(acquisition, cause));
            }
        });
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        long[] each = Settlements.ofEach(acquisition.charges(), actual);
        return limiter.settleAsync(acquisition, decision, actual).thenAccept(done -> {
            listeners.each(listener -> listener.onSettled(acquisition, decision, each));
        });
    }
}
