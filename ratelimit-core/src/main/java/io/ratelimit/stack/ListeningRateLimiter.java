package io.ratelimit.stack;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.ForwardingRateLimiter;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.Settlements;
import io.ratelimit.internal.Stages;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** Passes each decision and settlement to the listeners. The stack has this layer only if there are listeners. Thread-safe. */
final class ListeningRateLimiter extends ForwardingRateLimiter {

    private final Listeners<DecisionListener> listeners;
    private final LongSupplier nanoTime;

    ListeningRateLimiter(RateLimiter limiter, List<DecisionListener> listeners, LongSupplier nanoTime) {
        super(limiter);
        this.listeners = new Listeners<>(listeners);
        this.nanoTime = nanoTime;
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        long startNanos = startNanos(acquisition);
        Decision decision;
        try {
            decision = limiter.acquire(acquisition);
        } catch (RuntimeException failure) {
            listeners.each(listener -> listener.onFailure(acquisition, failure));
            throw failure;
        }
        decided(acquisition, decision, startNanos);
        return decision;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        long startNanos = startNanos(acquisition);
        return limiter.acquireAsync(acquisition).whenComplete((decision, failure) -> {
            if (failure == null) {
                decided(acquisition, decision, startNanos);
            } else if (Stages.unwrap(failure) instanceof RuntimeException cause
                    && !(cause instanceof CancellationException)) {
                listeners.each(listener -> listener.onFailure(acquisition, cause));
            }
        });
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        long[] each = costs(acquisition.charges(), actual);
        return Stages.startForCallbacks(() -> limiter.settleAsync(acquisition, decision, actual))
                .thenAccept(done -> listeners.each(listener -> listener.onSettled(acquisition, decision, each)));
    }

    /** Returns what each charge cost: for an element its cost, where {@link Settlements#ofEach} has its hash. */
    private static long[] costs(List<Charge> charges, long[] actual) {
        long[] costs = Settlements.ofEach(charges, actual);
        for (int i = 0; i < costs.length; i++) {
            Charge charge = charges.get(i);
            costs[i] = charge.element().isPresent() ? charge.cost() : costs[i];
        }
        return costs;
    }

    /** Reads the clock only for a call that may wait, because reading it would cost time in every call. */
    private long startNanos(Acquisition acquisition) {
        return acquisition.maxWait().isZero() ? 0 : nanoTime.getAsLong();
    }

    private void decided(Acquisition acquisition, Decision decision, long startNanos) {
        listeners.each(listener -> listener.onDecision(acquisition, decision));
        if (!acquisition.maxWait().isZero()) {
            Duration waited = Duration.ofNanos(nanoTime.getAsLong() - startNanos);
            listeners.each(listener -> listener.onWaited(acquisition, decision, waited));
        }
    }
}
