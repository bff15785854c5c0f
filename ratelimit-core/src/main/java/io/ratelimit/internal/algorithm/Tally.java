package io.ratelimit.internal.algorithm;

import io.ratelimit.Algorithm;
import io.ratelimit.Quota;
import io.ratelimit.Window;

/**
 * The state of one subject under one limit, and the decisions about it. Each call gets the quota and the time, so a
 * changed limit takes effect at once and a test can choose the time. Times are µs since 1970. The numbers of the quota
 * may differ from call to call, but its window must stay the same for the life of a tally.
 *
 * <p>A caller first asks {@link #now} for the tally's time and passes it to the other methods. {@link #take} and
 * {@link #settle} change the state; all others only read it. Not thread-safe: a store guards each tally by a lock.
 */
public interface Tally {

    /** Creates the state of a subject that has not been charged yet. */
    static Tally of(Algorithm algorithm, Window window) {
        return switch (algorithm) {
            case FIXED_WINDOW -> new FixedWindow();
            case SLIDING_WINDOW_LOG -> new SlidingWindowLog();
            case SLIDING_WINDOW_COUNTER ->
                window.buckets() == 1 ? new SlidingWindowCounter() : new SlidingWindowParts(window.buckets());
            case TOKEN_BUCKET -> new TokenBucket();
            case CONCURRENCY -> new Concurrency();
            case UNIQUE_COUNT -> new UniqueCount(Elements.exact());
            case APPROXIMATE_UNIQUE_COUNT -> new UniqueCount(new ApproximateElements());
        };
    }

    /**
     * Returns the tally's own time. It equals {@code clockMicros} unless the clock has stepped back. After such a step,
     * a tally either continues from the newest time it has seen, or moves its costs to the clock's time and returns
     * that. Either way the step admits nothing extra, and no caller waits longer than without it or than the window.
     *
     * <p>Records the step, so call it before each use, and again after {@link #take} or {@link #settle}.
     */
    long now(Quota quota, long clockMicros);

    /**
     * Returns the time until {@code cost} fits if nobody else calls, in µs; 0 if it fits now.
     *
     * @param cost at most the capacity, including what the call charges ahead of it
     * @param ahead the sum of the costs that the same call charges to this tally before this one
     */
    long retryAfterMicros(Quota quota, long nowMicros, long cost, long ahead);

    /** Adds a cost that fits. */
    void take(Quota quota, long nowMicros, long cost);

    /**
     * Corrects a cost that was taken when the clock showed {@code takenAtMicros}.
     *
     * <p>If {@code more} is negative, that much is given back. Gives back less, or nothing, if the cost no longer
     * counts, or if giving back all of it could admit more than the quota allows. If {@code more} is positive, it is
     * added now, whether or not it fits. What does not fit is a debt: nothing fits until it has left the window, or
     * until a bucket has refilled it.
     *
     * @param more the actual cost minus the cost that was taken, not 0
     * @param resetAfterMicros {@link #resetAfterMicros} and {@link #givenBackMicros} together when the cost was taken, or less if
     *     that is not known: then less may be given back
     */
    void settle(Quota quota, long nowMicros, long more, long takenAtMicros, long resetAfterMicros);

    /** Returns the largest cost that fits now, 0 if none does. */
    long remaining(Quota quota, long nowMicros);

    /** Returns the time until the whole quota is free if nobody calls, in µs; 0 if it is free now. */
    long resetAfterMicros(Quota quota, long nowMicros);

    /** Returns in how much time what was given back until now refills, in µs, as far as that is remembered and matters. */
    default long givenBackMicros(Quota quota, long nowMicros) {
        return 0;
    }

    /** Returns whether a block refuses that cost, at the last {@link #now}. */
    default boolean isBlocked(long cost) {
        return false;
    }

    /** Returns about how many bytes of the heap the tally takes. */
    default long heapBytes() {
        return 40;
    }

    /** Returns the time until the tally answers as a new one would under any quota, if nobody calls, in µs. */
    default long lastsMicros(Quota quota, long nowMicros) {
        return resetAfterMicros(quota, nowMicros);
    }
}
