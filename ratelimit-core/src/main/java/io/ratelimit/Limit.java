package io.ratelimit;

import io.ratelimit.algorithm.Quota;
import io.ratelimit.internal.Micros;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * A named rule: how many requests, in what time, counted by which algorithm. Immutable and thread-safe.
 *
 * <pre>{@code
 * Limit logins = Limit.of("login", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMinutes(15));
 * Limit burst = Limit.of("burst", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1)).withBurst(20);
 * }</pre>
 *
 * <p>Limits of the same name, algorithm and window share their counts, also where max requests or burst differ: a number
 * changed by a deployment, or by a subject's plan, holds from the next call on. Those of another window or of different
 * shards share none.
 *
 * @param name printable ASCII without space, quote, backslash or brace, at most 200 characters; it is part of keys,
 *     headers and metrics
 * @param lease how many an instance may take from the store at once, to serve them by itself for a second; 1 is none
 * @param shards how many keys share the quota, so that a subject may be too hot for one core of the store; 1 is none
 */
public record Limit(String name, Algorithm algorithm, Quota quota, long lease, int shards) {

    /** The most shards a limit may have: a call that is refused has asked all of them. */
    public static final int MOST_SHARDS = 64;

    private static final Pattern NAME = Pattern.compile("[\\x21-\\x7E&&[^\"\\\\{}]]{1,200}");

    /**
     * @throws NullPointerException if there is no name, algorithm or quota
     * @throws IllegalArgumentException if the name is not as above, there is a burst and the algorithm has none, a shard
     *     would have less than one request, or a lease is above what one call may cost
     */
    public Limit {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(algorithm, "algorithm");
        Objects.requireNonNull(quota, "quota");
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
        checkShards(name, quota, shards);
        if (lease < 1 || lease > quota.capacity() / shards) {
            throw new IllegalArgumentException(
                    "limit '%s': lease '%d' must be at least 1 and at most %d, the most that one call may take: choose another"
                            .formatted(name, lease, quota.capacity() / shards));
        }
    }

    public Limit(String name, Algorithm algorithm, Quota quota) {
        this(name, algorithm, quota, 1, 1);
    }

    /**
     * A limit of {@code maxRequests} in each {@code windowSize}, whose burst is {@code maxRequests}.
     *
     * @param windowSize from 1 ms to 366 days; parts of a µs are cut off
     * @throws IllegalArgumentException if a value is out of range; the message names the limit and quotes the value
     */
    public static Limit of(String name, Algorithm algorithm, long maxRequests, Duration windowSize) {
        return new Limit(name, algorithm, quota(name, maxRequests, windowSize, maxRequests));
    }

    /** The same limit, letting up to {@code burst} requests through at once. */
    public Limit withBurst(long burst) {
        return new Limit(name, algorithm, quota(name, maxRequests(), windowSize(), burst), lease, shards);
    }

    /**
     * The same limit, of which an instance takes up to {@code lease} at a time from a shared store. It serves them
     * without asking for at most a second, and then gives back the rest. Without a shared store it means nothing.
     */
    public Limit withLease(long lease) {
        return new Limit(name, algorithm, quota, lease, shards);
    }

    /**
     * The same limit, its quota split between that many keys of a shared store, each in a Cluster slot of its own. No
     * call may cost more than a shard holds. Without a shared store it means nothing else.
     */
    public Limit withShards(int shards) {
        return new Limit(name, algorithm, quota, lease, shards);
    }

    /** What one of the shards may admit, counted from 0: all of them together admit what this limit does. */
    public Limit shard(int index) {
        return new Limit(name, algorithm, quota.part(index, shards));
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

    /** The most that one call may cost: {@link #capacity}, or what the smallest shard has of it. */
    public long largestCost() {
        return quota.capacity() / shards;
    }

    private static Quota quota(String name, long maxRequests, Duration windowSize, long burst) {
        return named(name, () -> new Quota(maxRequests, micros(windowSize), burst));
    }

    private static void checkShards(String name, Quota quota, int shards) {
        if (shards < 1 || shards > MOST_SHARDS) {
            throw new IllegalArgumentException(
                    "limit '%s': shards '%d' must be at least 1 and at most %d".formatted(name, shards, MOST_SHARDS));
        }
        if (Math.min(quota.maxRequests(), quota.capacity()) < shards) {
            throw new IllegalArgumentException(
                    "limit '%s': shards '%d' must be at most %d, for each needs a request of its own: lower it, or raise the limit"
                            .formatted(name, shards, Math.min(quota.maxRequests(), quota.capacity())));
        }
        named(name, () -> quota.part(shards - 1, shards));
    }

    private static Quota named(String name, Supplier<Quota> quota) {
        try {
            return quota.get();
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException("limit '%s': %s".formatted(name, invalid.getMessage()), invalid);
        }
    }

    private static long micros(Duration windowSize) {
        boolean countable = windowSize.abs().compareTo(Duration.ofDays(366_000)) < 0;
        return countable ? Micros.of(windowSize) : windowSize.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
}
