package io.ratelimit.redis;

/**
 * Guesses the store's time from its last reply and what has passed here since. It decides no limit: it only tells the
 * store when a caller will have gone, so that a store that hung does not charge for callers of long ago. Thread-safe.
 */
final class StoreClock {

    private static final long LONG_AGO = 1;

    private record Seen(long storeMicros, long atNanos) {}

    private volatile Seen last = new Seen(0, 0);

    void saw(long storeMicros) {
        last = new Seen(storeMicros, System.nanoTime());
    }

    /**
     * The store's time at that time of ours. If the store never replied, a time long ago: it answers that this is too
     * late, decides nothing, and says what time it is. So the first call is no more charged late than any other.
     */
    long microsAt(long nanos) {
        Seen seen = last;
        return seen.storeMicros == 0 ? LONG_AGO : seen.storeMicros + (nanos - seen.atNanos) / 1_000;
    }
}
