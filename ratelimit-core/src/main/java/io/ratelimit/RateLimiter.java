package io.ratelimit;

import io.ratelimit.internal.Stages;
import java.util.concurrent.CompletionStage;

/**
 * Decides whether calls may go on. Never waits for quota: a call that does not fit is refused at once and told when it
 * would. Thread-safe.
 *
 * <pre>{@code
 * Limit limit = Limit.of("api", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1));
 * Decision decision = limiter.acquire(Acquisition.of(limit, "alice"));
 * if (!decision.allowed()) {
 *     return tooManyRequests(decision.retryAfter());
 * }
 * }</pre>
 *
 * <p>Each method that returns a stage has a blocking twin, which waits for the store, at most for the limiter's timeout.
 * Stages complete on threads of their own, never on an I/O thread of the store; a callback that blocks delays others by
 * a few milliseconds at most. See {@code completeOn} of the builders to choose the threads.
 */
public interface RateLimiter {

    /**
     * Charges all limits of the acquisition, or none if any of them refuses.
     *
     * <p>The stage fails with {@link StoreUnavailableException} if the store gave no answer.
     */
    CompletionStage<Decision> acquireAsync(Acquisition acquisition);

    /** What {@link #acquireAsync} would answer now; charges nothing. */
    CompletionStage<Decision> peekAsync(Acquisition acquisition);

    /**
     * Gives back what an allowed decision has charged, for a call that did not happen after all. As much of it as no
     * longer counts, or might admit more than the limit if it were given back late, stays charged. A refused decision
     * has charged nothing, so giving it back does nothing. Call it once for a decision, and not after a {@link #resetAsync}
     * in between: what is forgotten is not charged any more, and others would get it.
     */
    CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision);

    /** Forgets all that this limit has counted for this subject. */
    CompletionStage<Void> resetAsync(Limit limit, String subject);

    /**
     * The blocking twin of {@link #acquireAsync}.
     *
     * @throws StoreUnavailableException if the store gave no answer
     */
    default Decision acquire(Acquisition acquisition) {
        return Stages.await(() -> acquireAsync(acquisition));
    }

    /**
     * The blocking twin of {@link #peekAsync}.
     *
     * @throws StoreUnavailableException if the store gave no answer
     */
    default Decision peek(Acquisition acquisition) {
        return Stages.await(() -> peekAsync(acquisition));
    }

    /**
     * The blocking twin of {@link #refundAsync}.
     *
     * @throws StoreUnavailableException if the store gave no answer
     */
    default void refund(Acquisition acquisition, Decision decision) {
        Stages.await(() -> refundAsync(acquisition, decision));
    }

    /**
     * The blocking twin of {@link #resetAsync}.
     *
     * @throws StoreUnavailableException if the store gave no answer
     */
    default void reset(Limit limit, String subject) {
        Stages.await(() -> resetAsync(limit, subject));
    }
}
