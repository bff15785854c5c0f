package io.ratelimit;

/**
 * Is called after each decision, for counting or logging what limits do. Implementations must be thread-safe.
 *
 * <p>Runs on the thread that completes the decision, before the caller sees it: do not block. What a listener throws is
 * logged, and fails no call.
 */
@FunctionalInterface
public interface DecisionListener {

    /**
     * Called once for each acquisition that was decided; not for peeks, nor where the store failed under {@link
     * FailurePolicy#CLOSED}. With report-only, the decision is the one that would have held.
     *
     * @param acquisition holds the subjects, which belong in no log or metric
     */
    void onDecision(Acquisition acquisition, Decision decision);

    /**
     * Called instead of {@link #onDecision} for each acquisition that ended without a decision, such as one whose store
     * failed under {@link FailurePolicy#CLOSED}. Does nothing by default.
     *
     * @param acquisition holds the subjects, which belong in no log or metric
     */
    default void onFailure(Acquisition acquisition, RuntimeException failure) {}
}
