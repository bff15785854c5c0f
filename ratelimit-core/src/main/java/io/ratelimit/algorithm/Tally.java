package io.ratelimit.algorithm;

/**
 * What one limit knows of one subject, and what it answers. The quota and the time come with every call, so that a
 * changed limit holds at once and a test chooses its own time. Times are µs since 1970. Quotas may differ from call to
 * call but for their window, which is the tally's own.
 *
 * <p>Pass to all other methods a time that {@link #now} returned. Those that answer change nothing. Not thread-safe: a
 * store calls it under the subject's own lock.
 */
public interface Tally {

    /**
     * The time of this tally when the clock shows that. Usually the same; after a step back of the clock, a tally goes on
     * from the newest time it has counted, or moves what it holds to the clock. So a step admits nothing extra, and
     * nobody waits longer than without it or than the window. Notes the step. Ask again after a change.
     */
    long now(Quota quota, long clockMicros);

    /**
     * Time until {@code cost} fits if nobody else calls; 0 if it fits now. The cost is within the capacity.
     *
     * @param ahead the {@link #load} of what the same call charges here before this cost
     */
    long retryAfterMicros(Quota quota, long nowMicros, long cost, long ahead);

    /** What a cost weighs here: the cost itself, or time where quotas differ in what a request is worth. */
    default long load(Quota quota, long cost) {
        return cost;
    }

    /** Counts a cost, whether or not it fits. */
    void take(Quota quota, long nowMicros, long cost);

    /**
     * Uncounts a cost that was taken when the clock showed {@code takenAtMicros}, or as much of it as still counts and can
     * go without admitting more than the quota allows.
     */
    void giveBack(Quota quota, long nowMicros, long cost, long takenAtMicros);

    /** Requests of cost 1 that fit now. */
    long remaining(Quota quota, long nowMicros);

    /** Time until all the quota is free if nobody calls; 0 if it is. */
    long resetAfterMicros(Quota quota, long nowMicros);

    /** Time until the tally answers as a new one would, whatever the quota, if nobody calls. */
    default long lastsMicros(Quota quota, long nowMicros) {
        return resetAfterMicros(quota, nowMicros);
    }
}
