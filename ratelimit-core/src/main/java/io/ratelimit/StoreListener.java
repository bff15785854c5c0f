package io.ratelimit;

import java.time.Duration;

/**
 * Receives every round trip to a shared store, for metrics. Implementations must be thread-safe.
 *
 * <p>A listener runs on the thread that reads the replies, so it must not block. An exception that it throws is logged and
 * does not fail a call.
 */
@FunctionalInterface
public interface StoreListener {

    /** Called when a batch was answered, or when no caller waits for its answer any more. */
    void onRoundTrip(RoundTrip roundTrip);

    /**
     * A batch that was sent to the store. It contains no subject.
     *
     * @param calls number of calls that were sent together
     * @param keys number of keys of the store that they concern
     * @param duration time from sending the batch to its outcome
     * @param outcome how it ended
     */
    record RoundTrip(int calls, int keys, Duration duration, Outcome outcome) {}

    /** How a round trip ended. */
    enum Outcome {
        /** The store decided. */
        ANSWERED,
        /** The store answered with an error. */
        ERROR,
        /** The store did not answer in time, or the connection was lost. */
        UNANSWERED
    }
}
