package io.ratelimit;

import io.ratelimit.internal.Costs;
import io.ratelimit.internal.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;

/**
 * Decides whether a call may proceed. A limiter refuses a call that does not fit at once, and the decision says when
 * the call would fit. It waits for quota only if the caller passes a maximum wait. Thread-safe.
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
 * delays others by a few milliseconds at most.
 */
public interface RateLimiter {

    /**
     * Charges all limits of the acquisition, or none of them if any refuses.
     *
     * <p>The stage fails with {@link StoreUnavailableException} if the store does not answer within the timeout and the
     * failure policy is {@link FailurePolicy#CLOSED}, or there is no such policy.
     *
     * <p>Cancelling the stage before the decision, or one that was made from it, gives up the call: it is not charged, or what
     * was charged is given back. Once the decision is on its way, cancelling has no effect.
     */
    CompletionStage<Decision> acquireAsync(Acquisition acquisition);

    /**
     * Takes what is left: charges the acquisition as many times as fit into all of its limits, at most {@code most}
     * times. The costs of the acquisition are the unit; each of its limits is charged the same number of units.
     *
     * <pre>{@code
     * Acquisition mail = Acquisition.of(perMinute, "acme").and(perDay, "acme");
     * Decision decision = limiter.acquireUpTo(mail, outbox.size()); // 40 are left of a minute, 25 of the day
     * send(outbox, decision.taken()); // 25
     * }</pre>
     *
     * <p>{@link Decision#taken} is the number of units. If not even one fits, the call is refused, and {@code retryAfter}
     * is the time until one does. Settling and refunding work with the same acquisition: {@code settleAsync} is passed
     * what all units cost together.
     *
     * @throws IllegalArgumentException as {@link Acquisition#upTo} does
     */
    default CompletionStage<Decision> acquireUpToAsync(Acquisition acquisition, int most) {
        return acquireAsync(acquisition.upTo(most));
    }

    /**
     * Does what {@link #acquireAsync(Acquisition)} does, and waits until the call fits if that is within {@code maxWait};
     * otherwise refuses it at once. A call is charged when it is admitted, not before.
     *
     * <pre>{@code
     * Acquisition mail = Acquisition.of(Limit.of("mail", Algorithm.TOKEN_BUCKET, 1, Duration.ofSeconds(1)), "acme");
     * limiter.acquire(mail); // admitted
     * limiter.acquire(mail, Duration.ofSeconds(2)); // admitted a second later
     * limiter.acquire(mail, Duration.ofMillis(500)); // refused at once, with a retryAfter of 1 s
     * }</pre>
     *
     * <p>Calls of one process that wait for the same limits and subjects are admitted first come, first served: a call is
     * also refused at once if it does not fit in time after those that wait already. Its {@code retryAfter} then counts
     * them in. A call that does not wait, and a call of another process, may be admitted before one that waits. If they
     * take so much that the call cannot be admitted in time, it is refused as soon as that is known, at the end of
     * {@code maxWait} at the latest. At most 1,000 calls wait for the same limits and subjects, and at most 10,000 in all;
     * further ones are refused at once.
     *
     * <p>A slot of {@link Algorithm#CONCURRENCY} may become free at any time, so a call waits for one until {@code
     * maxWait} is over. It notices within 100 ms a slot that another process frees. A call never waits for the end of a
     * ban. A call that is refused in the end counts as one refusal for a ban, however often it was tried meanwhile.
     *
     * <p>Cancelling the stage, or one that was made from it, gives up waiting; nothing is charged then. Only limiters
     * that are built as a stack wait; stores on their own refuse at once.
     *
     * @throws IllegalArgumentException if {@code maxWait} is below 0 or above a day
     */
    default CompletionStage<Decision> acquireAsync(Acquisition acquisition, Duration maxWait) {
        return acquireAsync(acquisition.withMaxWait(maxWait));
    }

    /** Returns the decision that {@link #acquireAsync(Acquisition)} would make now, and charges nothing. */
    CompletionStage<Decision> peekAsync(Acquisition acquisition);

    /**
     * Corrects what an allowed decision charged, once the actual cost of the call is known.
     *
     * <pre>{@code
     * Acquisition estimate = Acquisition.of(tokensPerMinute, "alice", 500);
     * Decision decision = limiter.acquire(estimate);
     * limiter.settleAsync(estimate, decision, 663); // charges 163 more, even if they do not fit
     * }</pre>
     *
     * <p>What was charged above the actual cost is given back. The part that no longer counts, or that could admit more
     * than the limit if it came back late, stays charged. An actual cost above the charge is added now, whether or not
     * it fits. If it does not, the subject is in debt: nothing remains, and {@code retryAfter} is the time until the
     * same call would be admitted. However large a debt is, it is over when a call made now would no longer count; a
     * token bucket counts as much of it as it refills in the longer of a window and the time to fill it. A charge of
     * {@link Algorithm#CONCURRENCY} ends, whatever the actual cost.
     *
     * <p>Does nothing for a refused decision, for that of a peek, for one that no store made or that belongs to other limits, and
     * for one that was settled before. A decision is recognized by its identity, not by its values. What is never settled stays
     * charged as estimated. Do not settle after a {@link #resetAsync} of the same subject: a reset drops the charge, so
     * the correction would change the charges of later calls.
     *
     * @param actual what the call cost, at least 0: one number for all charges, or one for each in the order of
     *     {@link Acquisition#charges}
     * @throws IllegalArgumentException if the actual cost is negative, or their number is neither 1 nor that of the
     *     charges
     */
    CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual);

    /**
     * Settles the decision at what it charged, for a call that has ended. Frees what the call took of a limit of {@link
     * Algorithm#CONCURRENCY}, and changes no other charge.
     */
    default CompletionStage<Void> releaseAsync(Acquisition acquisition, Decision decision) {
        return settleAsync(
                acquisition,
                decision,
                acquisition.charges().stream()
                        .mapToLong(charge -> Costs.times(charge.cost(), decision.taken()))
                        .toArray());
    }

    /** Settles the decision at 0, for a call that did not happen after all. */
    default CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        return settleAsync(acquisition, decision, 0);
    }

    /**
     * Drops everything that this limit has counted for this subject, and lifts its ban and its block.
     *
     * @throws IllegalArgumentException if the subject is empty
     */
    CompletionStage<Void> resetAsync(Limit limit, String subject);

    /**
     * Begins the next ban of this subject, as if it had been refused often enough.
     *
     * @throws IllegalArgumentException if the limit has no ban, or the subject is empty
     */
    CompletionStage<Void> banAsync(Limit limit, String subject);

    /**
     * Lifts the ban of this subject and forgets its earlier bans and refusals. What the limit has counted stays.
     *
     * @throws IllegalArgumentException if the limit has no ban, or the subject is empty
     */
    CompletionStage<Void> unbanAsync(Limit limit, String subject);

    /**
     * Admits at most so much more of this subject by this limit within that time, whatever the limit has left: for example
     * because a partner has answered that 40 requests are left until its period ends in 12 s.
     *
     * <pre>{@code
     * limiter.cap(partner, "global", 40, Duration.ofSeconds(12)); // 40 requests are admitted, and the next one after 12 s
     * }</pre>
     *
     * <p>It never admits more than the limit itself. The time begins when the store gets the call, and runs by the store's
     * clock. Of several caps the lowest holds, and of equal ones that which ends last; one whose place a lower one has taken
     * does not come back when that ends. {@link #resetAsync} lifts them. What is given back within the time does not raise a
     * cap. An instance may serve a limit with a lease for a second more. If Redis is away, the stage fails, and the cap begins
     * when Redis is back, if that is within ten minutes, for what is left of the time.
     *
     * @param remaining 0 refuses everything, see {@link #blockAsync(Limit, String, Duration)}
     * @param length at most 366 days; a negative or zero length has no effect
     * @throws IllegalArgumentException if the length is above 366 days, if the number is negative, or if it is not 0 and the
     *     limit counts elements
     */
    CompletionStage<Void> capAsync(Limit limit, String subject, long remaining, Duration length);

    /**
     * Refuses all calls of this subject by this limit for that time, whatever the limit has left: for example because a
     * partner has answered 429 with {@code Retry-After: 30}. Every limit can be blocked. It is a cap at 0.
     *
     * <pre>{@code
     * limiter.block(partner, "global", Duration.ofSeconds(30));
     * limiter.acquire(Acquisition.of(partner, "global")).retryAfter(); // 30 s, or more if the limit itself refuses for longer
     * limiter.acquire(Acquisition.of(partner, "global"), Duration.ofMinutes(1)); // admitted after 30 s
     * }</pre>
     *
     * <p>The time begins when the store gets the call, and runs by the store's clock. Of several blocks the one that ends
     * last holds, and a block holds before any cap. What the limit has counted stays, and calls in flight are settled. A block ends by itself or by {@link
     * #resetAsync}. An instance may serve a limit with a lease for a second more.
     *
     * @param length at most 366 days; a negative or zero length has no effect
     * @throws IllegalArgumentException if the length is above 366 days
     */
    default CompletionStage<Void> blockAsync(Limit limit, String subject, Duration length) {
        return capAsync(limit, subject, 0, length);
    }

    /**
     * Does what {@link #blockAsync(Limit, String, Duration)} does, until that time by the clock of this process. A time in
     * the past has no effect.
     *
     * @throws IllegalArgumentException if the time is more than 366 days ahead
     */
    default CompletionStage<Void> blockAsync(Limit limit, String subject, Instant until) {
        return blockAsync(limit, subject, Duration.between(Instant.now(), until));
    }

    /**
     * Does what {@link #acquireAsync(Acquisition)} does, and waits for the result.
     *
     * @throws StoreUnavailableException if the stage fails with it
     */
    default Decision acquire(Acquisition acquisition) {
        return Stages.await(() -> acquireAsync(acquisition));
    }

    /**
     * Does what {@link #acquireAsync(Acquisition, Duration)} does, and waits for the result. If the thread is interrupted,
     * the call waits no longer: it is decided at once, and the thread stays interrupted.
     *
     * @throws IllegalArgumentException if {@code maxWait} is below 0 or above a day
     * @throws StoreUnavailableException if the stage fails with it
     */
    default Decision acquire(Acquisition acquisition, Duration maxWait) {
        return acquire(acquisition.withMaxWait(maxWait));
    }

    /**
     * Does what {@link #acquireUpToAsync} does, and waits for the result.
     *
     * @throws IllegalArgumentException as {@link Acquisition#upTo} does
     * @throws StoreUnavailableException if the stage fails with it
     */
    default Decision acquireUpTo(Acquisition acquisition, int most) {
        return acquire(acquisition.upTo(most));
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
     * Does what {@link #settleAsync} does, and waits for the result.
     *
     * @throws IllegalArgumentException as {@link #settleAsync} does
     * @throws StoreUnavailableException if the stage fails with it
     */
    default void settle(Acquisition acquisition, Decision decision, long... actual) {
        Stages.await(() -> settleAsync(acquisition, decision, actual));
    }

    /**
     * Does what {@link #releaseAsync} does, and waits for the result.
     *
     * @throws StoreUnavailableException if the stage fails with it
     */
    default void release(Acquisition acquisition, Decision decision) {
        Stages.await(() -> releaseAsync(acquisition, decision));
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
     * @throws IllegalArgumentException if the subject is empty
     * @throws StoreUnavailableException if the stage fails with it
     */
    default void reset(Limit limit, String subject) {
        Stages.await(() -> resetAsync(limit, subject));
    }

    /**
     * Does what {@link #banAsync} does, and waits for the result.
     *
     * @throws IllegalArgumentException if the limit has no ban, or the subject is empty
     * @throws StoreUnavailableException if the stage fails with it
     */
    default void ban(Limit limit, String subject) {
        Stages.await(() -> banAsync(limit, subject));
    }

    /**
     * Does what {@link #unbanAsync} does, and waits for the result.
     *
     * @throws IllegalArgumentException if the limit has no ban, or the subject is empty
     * @throws StoreUnavailableException if the stage fails with it
     */
    default void unban(Limit limit, String subject) {
        Stages.await(() -> unbanAsync(limit, subject));
    }

    /**
     * Does what {@link #capAsync(Limit, String, long, Duration)} does, and waits for the result.
     *
     * @throws IllegalArgumentException as there
     * @throws StoreUnavailableException if the stage fails with it
     */
    default void cap(Limit limit, String subject, long remaining, Duration length) {
        Stages.await(() -> capAsync(limit, subject, remaining, length));
    }

    /**
     * Does what {@link #blockAsync(Limit, String, Duration)} does, and waits for the result.
     *
     * @throws IllegalArgumentException if the length is above 366 days
     * @throws StoreUnavailableException if the stage fails with it
     */
    default void block(Limit limit, String subject, Duration length) {
        cap(limit, subject, 0, length);
    }

    /**
     * Does what {@link #blockAsync(Limit, String, Instant)} does, and waits for the result.
     *
     * @throws IllegalArgumentException if the time is more than 366 days ahead
     * @throws StoreUnavailableException if the stage fails with it
     */
    default void block(Limit limit, String subject, Instant until) {
        block(limit, subject, Duration.between(Instant.now(), until));
    }
}
