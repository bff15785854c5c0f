package io.ratelimit;

import io.ratelimit.algorithm.Quota;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * A named rule: how many requests, in what time, counted by which algorithm. Immutable and thread-safe.
 *
 * <pre>{@code
 * Limit logins = Limit.of("login", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMinutes(15));
 * Limit burst = Limit.of("burst", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1)).withBurst(20);
 * }</pre>
 *
 * <p>Limits of the same name and algorithm share their counts, also where their numbers differ: a number changed by a
 * deployment, or by a subject's plan, holds from the next call on.
 *
 * @param name printable ASCII without space, quote, backslash or brace, at most 200 characters; it is part of keys,
 *     headers and metrics
 */
public record Limit(String name, Algorithm algorithm, Quota quota) {

    private static final Pattern NAME = Pattern.compile("[\\x21-\\x7E&&[^\"\\\\{}]]{1,200}");

    /** @throws IllegalArgumentException if the name is not as above, or there is a burst and the algorithm has none */
    public Limit {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "limit name '%s' must be 1 to 200 printable ASCII characters without space, quote, backslash or brace"
                            .formatted(name));
        }
        if (quota.capacity() != quota.maxRequests() && !algorithm.hasBurst()) {
            throw new IllegalArgumentException(
                    "limit '%s': burst '%d' means nothing to %s: leave it out, or set use-algo: token-bucket"
                            .formatted(name, quota.capacity(), algorithm.label()));
        }
    }

    /**
     * A limit of {@code maxRequests} in each {@code windowSize}, whose burst is {@code maxRequests}.
     *
     * @param windowSize from 1 ms to 366 days; parts of a µs are cut off
     * @throws IllegalArgumentException if a value is out of range; the message names the limit and quotes the value
     */
    public static Limit of(String name, Algorithm algorithm, long maxRequests, Duration windowSize) {
        return of(name, algorithm, maxRequests, windowSize, maxRequests);
    }

    /** The same limit, letting up to {@code burst} requests through at once. */
    public Limit withBurst(long burst) {
        return of(name, algorithm, maxRequests(), windowSize(), burst);
    }

    private static Limit of(String name, Algorithm algorithm, long maxRequests, Duration windowSize, long burst) {
        try {
            return new Limit(name, algorithm, new Quota(maxRequests, micros(windowSize), burst));
        } catch (IllegalArgumentException invalid) {
            String message = String.valueOf(invalid.getMessage());
            throw message.startsWith("limit ")
                    ? invalid
                    : new IllegalArgumentException("limit '%s': %s".formatted(name, message), invalid);
        }
    }

    /** Requests per window. */
    public long maxRequests() {
        return quota.maxRequests();
    }

    public Duration windowSize() {
        return Micros.toDuration(quota.windowMicros());
    }

    /** The most that can be admitted at once: the burst of a token bucket, {@link #maxRequests} of all others. */
    public long capacity() {
        return quota.capacity();
    }

    private static long micros(Duration windowSize) {
        boolean countable = windowSize.abs().compareTo(Duration.ofDays(366_000)) < 0;
        return countable ? Micros.of(windowSize) : windowSize.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
}
