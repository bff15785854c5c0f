package io.ratelimit.redis;

/**
 * Estimates the store's time from its last reply and the time elapsed here since. No limit is decided by it. It
 * converts deadlines of calls, so that a store that hung does not charge for callers that have timed out. Thread-safe.
 */
final class StoreClock {

    private static final long LONG_AGO = 1;

    private record Seen(long storeMicros, long atNanos) {}

    private volatile Seen last = new Seen(0, 0);

    void saw(long storeMicros) {
        last = new Seen(storeMicros, System.nanoTime());
    }

    /**
     * Returns the store's time that corresponds to a local time. Returns a time long ago if the store has never
     * replied: then the store decides nothing and replies with its time, and the batch is repeated. So the first call
     * is also protected from being charged late.
     */
    long microsAt(long nanos) {
        Seen seen = last;
        return seen.storeMicros == 0 ? LONG_AGO : seen.storeMicros + (nanos - seen.atNanos) / 1_000;
    }
}
