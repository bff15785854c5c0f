package io.ratelimit.redis;

import io.ratelimit.StoreListener;
import io.ratelimit.StoreListener.Outcome;
import io.ratelimit.StoreListener.RoundTrip;
import io.ratelimit.internal.Listeners;
import org.jspecify.annotations.Nullable;

/** Reports how a batch ended to its node, for the breaker and the round trips, and to the listeners. Thread-safe. */
record RoundTripReporter(Listeners<StoreListener> listeners) {

    /** Reports a batch that has ended; the failure is null if Redis decided it. */
    void ended(InFlightBatch batch, @Nullable Throwable failure) {
        long nowNanos = System.nanoTime();
        if (failure == null || StoreFailures.isAnswer(failure)) {
            batch.node().answered(batch.sentNanos(), nowNanos);
            notifyListeners(batch, nowNanos, failure == null ? Outcome.ANSWERED : Outcome.ERROR);
        } else {
            unanswered(batch, nowNanos, failure);
        }
    }

    void unanswered(InFlightBatch batch, long nowNanos, Throwable failure) {
        batch.node().unanswered(batch.sentNanos(), nowNanos, failure);
        notifyListeners(batch, nowNanos, Outcome.UNANSWERED);
    }

    private void notifyListeners(InFlightBatch batch, long nowNanos, Outcome outcome) {
        if (!listeners.isEmpty()) {
            RoundTrip roundTrip = batch.roundTrip(nowNanos, outcome);
            listeners.each(listener -> listener.onRoundTrip(roundTrip));
        }
    }
}
