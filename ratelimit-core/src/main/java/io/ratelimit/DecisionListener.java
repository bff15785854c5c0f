package io.ratelimit;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Receives every decision, for metrics or logs. Implementations must be thread-safe.
 *
 * <p>A listener runs on the thread that completes the decision, before the caller gets it, so it must not block. An
 * exception that it throws is logged and does not fail the call.
 */
@FunctionalInterface
public interface DecisionListener {

    /**
     * Called once for each acquisition that was decided. Not called for peeks, or when the store failed under {@link
     * FailurePolicy#CLOSED}. With report-only, the decision is the one that would apply without it. What limits that only report
     * would have refused is in {@link Decision#exceeded}.
     *
     * @param acquisition contains the subjects, which must not appear in logs or metrics
     * @param decision the decision, allowed or refused
     */
    void onDecision(Acquisition acquisition, Decision decision);

    /** What a listener began when a call was made, such as a span of a trace. */
    @FunctionalInterface
    interface Began {

        /**
         * Called once when the call has ended: with the decision that the caller gets or the failure, or with neither if the
         * caller gave it up.
         */
        void ended(@Nullable Decision decision, @Nullable RuntimeException failure);
    }

    /**
     * Called before an acquisition is decided. Returns what is to be ended after {@link #onDecision} or {@link #onFailure}; null
     * by default.
     *
     * @param acquisition holds the subjects, which belong in no log or metric
     */
    default @Nullable Began onCall(Acquisition acquisition) {
        return null;
    }

    /**
     * Called instead of {@link #onDecision} for each acquisition that ended without a decision, such as one whose store
     * failed under {@link FailurePolicy#CLOSED}. Not called for a call whose caller gave up waiting for quota, nor for one that costs
     * more than the numbers in force ever allow. Does nothing by default.
     *
     * @param acquisition holds the subjects, which belong in no log or metric
     */
    default void onFailure(Acquisition acquisition, RuntimeException failure) {}

    /**
     * Called after {@link #onDecision} for each call that could wait for quota, because it has a {@link
     * Acquisition#maxWait}. With report-only nothing waits, so it is not called then. Does nothing by default.
     *
     * @param acquisition holds the subjects, which belong in no log or metric
     * @param waited the time from the call to its decision, also of a call that was decided at once
     */
    default void onWaited(Acquisition acquisition, Decision decision, Duration waited) {}

    /**
     * Called once for each settlement of an allowed decision that has not failed. One that fails to its caller, and that the
     * store in Redis makes later, is not reported. A route or annotation may settle some charges of a decision
     * before the others. Does nothing by default.
     *
     * @param acquisition the charges that were settled; holds the subjects, which belong in no log or metric
     * @param actual what the call cost, one number for each charge of the acquisition; 1 for an element, which stays
     *     counted
     */
    default void onSettled(Acquisition acquisition, Decision decision, long[] actual) {}

    /** Called once for each look-up of a {@link LimitProvider}, on its thread. Does nothing by default. */
    default void onLookUp(Limit limit, LimitProvider.Outcome outcome) {}
}
