package io.ratelimit.stack;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.ForwardingRateLimiter;
import io.ratelimit.internal.Stages;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Passes each decision to the listeners. The stack has this layer only if there are listeners. Thread-safe. */
final class ListeningRateLimiter extends ForwardingRateLimiter {

    private static final Logger LOG = LoggerFactory.getLogger(ListeningRateLimiter.class);

    private final List<DecisionListener> listeners;
    private final AtomicBoolean warned = new AtomicBoolean();

    ListeningRateLimiter(RateLimiter limiter, List<DecisionListener> listeners) {
        super(limiter);
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        Decision decision;
        try {
            decision = limiter.acquire(acquisition);
        } catch (RuntimeException failure) {
            each(listener -> listener.onFailure(acquisition, failure));
            throw failure;
        }
        each(listener -> listener.onDecision(acquisition, decision));
        return decision;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return limiter.acquireAsync(acquisition).whenComplete((decision, failure) -> {
            if (failure == null) {
                each(listener -> listener.onDecision(acquisition, decision));
            } else if (Stages.unwrap(failure) instanceof RuntimeException cause) {
                each(listener -> listener.onFailure(acquisition, cause));
            }
        });
    }

    private void each(Consumer<DecisionListener> event) {
        for (DecisionListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException failed) {
                // without the message, which may quote a subject
                LOG.atLevel(warned.getAndSet(true) ? Level.DEBUG : Level.WARN)
                        .log(
                                "DecisionListener {} failed with {}; the decision stands",
                                listener.getClass().getName(),
                                failed.getClass().getName());
            }
        }
    }
}
