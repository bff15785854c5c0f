package io.ratelimit;

import io.ratelimit.internal.MulDiv;

/**
 * The numbers of a limit: at most {@code maxRequests} in a window, and at most {@code capacity} at once. For example {@code new Quota(10, 1_000_000, 20)}: 10 requests a second, with a burst of 20. Immutable and
 * thread-safe.
 *
 * @param maxRequests requests in a window
 * @param window the time in which they count
 * @param capacity largest cost of one call: the burst of a token bucket, {@code maxRequests} of any other algorithm
 */
public record Quota(long maxRequests, Window window, long capacity) {

    /** Largest {@code maxRequests} and {@code capacity}: the Lua twins store them in five bytes. */
    public static final long MOST_REQUESTS = 1_000_000_000_000L;

    /** Most that a subject owes after underestimated calls; what is above it does not count. */
    public static final long MOST_OWED = 100_000_000_000_000L;

    private static final long LONGEST_REFILL_MICROS = 36_600 * 86_400_000_000L;

    /**
     * @throws IllegalArgumentException if {@code maxRequests} or {@code capacity} is not within 1 and
     *     {@link #MOST_REQUESTS}, or refilling takes over 36,600 days
     */
    public Quota {
        checkRequests("max-requests", maxRequests);
        checkRequests("burst", capacity);
        if ((double) capacity / maxRequests * window.micros() > LONGEST_REFILL_MICROS) {
            throw new IllegalArgumentException(
                    "burst '%d' would take over 36600 days to refill: lower it, or raise max-requests '%d'"
                            .formatted(capacity, maxRequests));
        }
    }

    /**
     * Creates the numbers of a window of that length.
     *
     * @throws IllegalArgumentException also if the window is not within 1 ms and 366 days
     */
    public Quota(long maxRequests, long windowMicros, long capacity) {
        this(maxRequests, Window.of(windowMicros), capacity);
    }

    /** Returns the length of the window in µs; of a period of the calendar that of the longest one. */
    public long windowMicros() {
        return window.micros();
    }

    /** Returns the time in which an empty bucket becomes full, in µs, rounded up; the window if there is no burst. */
    public long refillMicros() {
        return refillMicros(capacity);
    }

    /** Returns the time in which a bucket refills by that many requests, in µs, rounded up. */
    public long refillMicros(long requests) {
        return MulDiv.ceilDiv(requests, window.micros(), maxRequests);
    }

    /**
     * Returns one of {@code parts} quotas that add up to this one. If the numbers do not divide evenly, the first parts
     * are larger by one: 100 in 3 parts is 34, 33 and 33.
     *
     * @param index from 0 to {@code parts - 1}
     * @throws IllegalArgumentException if there are more parts than requests
     */
    public Quota part(int index, int parts) {
        return parts == 1
                ? this
                : new Quota(MulDiv.share(maxRequests, index, parts), window, MulDiv.share(capacity, index, parts));
    }

    private static void checkRequests(String name, long value) {
        if (value < 1 || value > MOST_REQUESTS) {
            throw new IllegalArgumentException(
                    "%s '%d' must be at least 1 and at most %d".formatted(name, value, MOST_REQUESTS));
        }
    }
}
