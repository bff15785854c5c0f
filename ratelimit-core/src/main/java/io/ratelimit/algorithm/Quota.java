package io.ratelimit.algorithm;

/**
 * The numbers of a limit: {@code maxRequests} in each {@code windowMicros}, and {@code capacity} at once. Immutable.
 *
 * <p>Capacity is the burst of a token bucket and {@code maxRequests} everywhere else.
 */
public record Quota(long maxRequests, long windowMicros, long capacity) {

    /** Largest number of requests a quota may name: what the Redis twins keep in five bytes. */
    public static final long MOST_REQUESTS = 1_000_000_000_000L;

    private static final long DAY_MICROS = 86_400_000_000L;
    private static final long SHORTEST_WINDOW_MICROS = 1_000;
    private static final long LONGEST_WINDOW_MICROS = 366 * DAY_MICROS;
    private static final long LONGEST_REFILL_MICROS = 36_600 * DAY_MICROS;

    /**
     * @throws IllegalArgumentException if {@code maxRequests} or {@code capacity} is not within 1 and
     *     {@link #MOST_REQUESTS}, the window is not within 1 ms and 366 days, or refilling takes over 36,600 days
     */
    public Quota {
        checkRequests("max-requests", maxRequests);
        checkRequests("burst", capacity);
        if (windowMicros < SHORTEST_WINDOW_MICROS || windowMicros > LONGEST_WINDOW_MICROS) {
            throw new IllegalArgumentException(
                    "window-size '%s' must be at least 1ms and at most 366d".formatted(micros(windowMicros)));
        }
        if ((double) capacity / maxRequests * windowMicros > LONGEST_REFILL_MICROS) {
            throw new IllegalArgumentException(
                    "burst '%d' would take over 36600 days to refill: lower it, or raise max-requests '%d'"
                            .formatted(capacity, maxRequests));
        }
    }

    /** Time in which an empty bucket becomes full, in µs, rounded up; the window itself where there is no burst. */
    public long refillMicros() {
        return MulDiv.ceilDiv(capacity, windowMicros, maxRequests);
    }

    /** One of so many parts, counted from 0, that sum up to the whole; the first ones hold one more where it must be. */
    public Quota part(int index, int parts) {
        return parts == 1
                ? this
                : new Quota(share(maxRequests, index, parts), windowMicros, share(capacity, index, parts));
    }

    private static long share(long whole, int index, int parts) {
        return whole / parts + (index < whole % parts ? 1 : 0);
    }

    private static void checkRequests(String name, long value) {
        if (value < 1 || value > MOST_REQUESTS) {
            throw new IllegalArgumentException(
                    "%s '%d' must be at least 1 and at most %d".formatted(name, value, MOST_REQUESTS));
        }
    }

    private static String micros(long micros) {
        if (micros != 0 && micros % DAY_MICROS == 0) {
            return micros / DAY_MICROS + "d";
        }
        return micros % 1_000 == 0 ? micros / 1_000 + "ms" : micros + "us";
    }
}
