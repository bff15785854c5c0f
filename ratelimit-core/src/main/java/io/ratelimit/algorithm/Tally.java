package io.ratelimit.algorithm;

/**
 * What one limit knows of one subject, and what it answers. The quota and the time come with every call, so that a
 * changed limit holds at once and a test chooses its own time. Times are µs since 1970.
 *
 * <p>Pass to all other methods a time that {@link #now} gave. Those that answer change nothing; {@link #take} is only
 * for what {@link #retryAfterMicros} admits. Not thread-safe: a store calls it under the subject's own lock.
 */
public interface Tally {

    /** The clock's time, but never before the newest this tally has counted. */
    long now(long clockMicros);

    /** Time until {@code cost} fits if nobody else calls; 0 if it fits now. The cost is within the capacity. */
    long retryAfterMicros(Quota quota, long nowMicros, long cost);

    /** Counts an admitted cost. */
    void take(Quota quota, long nowMicros, long cost);

    /**
     * Uncounts a cost that was taken at {@code takenAtMicros}, or as much of it as still counts and can go without
     * admitting more than the quota allows.
     */
    void giveBack(Quota quota, long nowMicros, long cost, long takenAtMicros);

    /** Requests of cost 1 that fit now. */
    long remaining(Quota quota, long nowMicros);

    /** Time until all the quota is free if nobody calls; 0 if it is. */
    long resetAfterMicros(Quota quota, long nowMicros);
}
