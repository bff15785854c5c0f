package io.ratelimit;

import io.ratelimit.internal.Stages;
import java.util.concurrent.CompletionStage;

/**
 * Decides whether a call may proceed. A limiter never waits for quota: it refuses a call that does not fit at once, and
 * the decision says when the call would fit. Thread-safe.
 *
 * <pre>{@code
 * Limit limit = Limit.of("api", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1));
 * Decision decision = limiter.acquire(Acquisition.of(limit, "alice"));
 * if (!decision.allowed()) {
 *     return tooManyRequests(decision.retryAfter());
 * }
 * }</pre>
 *
 * <p>Each method that returns a stage has a blocking variant, which waits for the store for at most the limiter's
 * timeout. Stages complete on threads of the limiter, never on an I/O thread of the store. A callback that blocks
 * delays others by a few milliseconds at most. The builders' {@code completeOn} chooses another executor.
 */
public interface RateLimiter {

    /**
     * Charges all limits of the acquisition, or none of them if any refuses.
     *
     * <p>The stage fails with {@link StoreUnavailableException} if the store does not answer within the timeout and the
     * failure policy is {@link FailurePolicy#CLOSED}, or there is no such policy.
     */
    CompletionStage<Decision> acquireAsync(Acquisition acquisition);

    /** Returns the decision that {@link #acquireAsync} would make now, and charges nothing. */
    CompletionStage<Decision> peekAsync(Acquisition acquisition);

    /**
     * Gives back what an allowed decision charged, for a call that did not happen after all. The part that no longer
     * counts, or that could admit more than the limit if it came back late, stays charged. For a refused decision this
     * does nothing, because nothing was charged.
     *
     * <p>Refund a decision once, and not after a {@link #resetAsync} of the same subject. A reset already drops the
     * charge, so the refund would reduce the charges of later calls.
     */
    CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision);

    /** Drops everything that this limit has counted for this subject. */
    CompletionStage<Void> resetAsync(Limit limit, String subject);

    /**
     * Does what {@link #acquireAsync} does, and waits for the result.
     *
     * @throws StoreUnavailableException if the stage fails with it
     */
    default Decision acquire(Acquisition acquisition) {
        return Stages.await(() -> acquireAsync(acquisition));
    }

    /**
     * Does what {@link #peekAsync} does, and waits for the result.
     *
     * @throws StoreUnavailableException if the stage fails with it
     */
    default Decision peek(Acquisition acquisition) {
        return Stages.await(() -> peekAsync(acquisition));
    }

    /**
     * Does what {@link #refundAsync} does, and waits for the result.
     *
     * @throws StoreUnavailableException if the stage fails with it
     */
    default void refund(Acquisition acquisition, Decision decision) {
        Stages.await(() -> refundAsync(acquisition, decision));
    }

    /**
     * Does what {@link #resetAsync} does, and waits for the result.
     *
     * @throws StoreUnavailableException if the stage fails with it
     */
    default void reset(Limit limit, String subject) {
        Stages.await(() -> resetAsync(limit, subject));
    }
}
