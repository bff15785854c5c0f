package io.ratelimit;

import io.ratelimit.algorithm.Quota;
import io.ratelimit.internal.Micros;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * A named rule: how many requests are admitted in what time, by which algorithm. Immutable and thread-safe.
 *
 * <pre>{@code
 * Limit logins = Limit.of("login", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMinutes(15));
 * Limit burst = Limit.of("burst", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1)).withBurst(20);
 * }</pre>
 *
 * <p>Limits with the same name, algorithm and window share their counts, even if max requests or burst differ. So a
 * number that a deployment or a subject's plan changes takes effect with the next call. Limits with different windows
 * or numbers of shards share nothing.
 *
 * @param name printable ASCII without space, quote, backslash or brace, at most 200 characters; it is part of keys,
 *     headers and metrics
 * @param algorithm how requests are counted
 * @param quota the numbers
 * @param lease how many requests an instance takes from the store in advance, to serve them itself for a second; 1 for
 *     no lease
 * @param shards number of keys that share the quota of a subject, for subjects that are too busy for one Redis core; 1
 *     for no shards
 */
public record Limit(String name, Algorithm algorithm, Quota quota, long lease, int shards) {

    /** Largest number of shards: a refused call has asked all of them. */
    public static final int MOST_SHARDS = 64;

    /** Most distinct elements that a limit can count: each takes 7 bytes in Redis, which every decision reads. */
    public static final long MOST_ELEMENTS = 100_000;

    private static final Pattern NAME = Pattern.compile("[\\x21-\\x7E&&[^\"\\\\{}]]{1,200}");

    /**
     * @throws NullPointerException if the name, the algorithm or the quota is null
     * @throws IllegalArgumentException if the name is not valid, the algorithm has no burst but the quota has one,
     *     a shard would have less than one request, the lease exceeds {@link #largestCost}, or distinct elements are
     *     more than {@link #MOST_ELEMENTS} or have a lease or shards
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
                    "limit '%s': burst '%d' is not supported by %s: leave it out, or set use-algo: token-bucket"
                            .formatted(name, quota.capacity(), algorithm.label()));
        }
        if (algorithm.countsElements()) {
            checkElements(name, algorithm.label(), quota.maxRequests(), lease, shards);
        }
        checkShards(name, quota, shards);
        if (lease < 1 || lease > quota.capacity() / shards) {
            throw new IllegalArgumentException(
                    "limit '%s': lease '%d' must be at least 1 and at most %d, the largest cost of one call"
                            .formatted(name, lease, quota.capacity() / shards));
        }
    }

    /** Creates a limit without lease and shards. */
    public Limit(String name, Algorithm algorithm, Quota quota) {
        this(name, algorithm, quota, 1, 1);
    }

    /**
     * Creates a limit of {@code maxRequests} per {@code windowSize}, with a burst of {@code maxRequests}.
     *
     * @param windowSize from 1 ms to 366 days, truncated to whole µs
     * @throws IllegalArgumentException if a value is out of range; the message names the limit and quotes the value
     */
    public static Limit of(String name, Algorithm algorithm, long maxRequests, Duration windowSize) {
        return new Limit(name, algorithm, quota(name, maxRequests, windowSize, maxRequests));
    }

    /**
     * Returns this limit with another burst: the number of requests that it admits at once.
     *
     * @throws IllegalArgumentException if the algorithm has no burst, or it is out of range
     */
    public Limit withBurst(long burst) {
        return new Limit(name, algorithm, quota(name, maxRequests(), windowSize(), burst), lease, shards);
    }

    /**
     * Returns this limit with a lease: each instance takes up to {@code lease} requests at a time from a shared store,
     * serves them itself for at most a second, and gives the rest back. Has no effect on a store in memory.
     *
     * @throws IllegalArgumentException if {@code lease} is below 1 or above {@link #largestCost}
     */
    public Limit withLease(long lease) {
        return new Limit(name, algorithm, quota, lease, shards);
    }

    /**
     * Returns this limit with its quota split between {@code shards} keys of a shared store, each in its own Cluster
     * slot. A call may then cost at most what the smallest shard holds. Has no other effect on a store in memory.
     *
     * @throws IllegalArgumentException if {@code shards} is not within 1 and {@link #MOST_SHARDS}, or a shard would
     *     have less than one request
     */
    public Limit withShards(int shards) {
        return new Limit(name, algorithm, quota, lease, shards);
    }

    /**
     * Returns the limit of one shard. All shards together admit what this limit admits.
     *
     * @param index from 0 to {@code shards - 1}
     */
    public Limit shard(int index) {
        return new Limit(name, algorithm, quota.part(index, shards));
    }

    /** Returns the number of requests per window. */
    public long maxRequests() {
        return quota.maxRequests();
    }

    /** Returns the length of a window. */
    public Duration windowSize() {
        return Micros.toDuration(quota.windowMicros());
    }

    /** Returns how much can be admitted at once: the burst of a token bucket, {@link #maxRequests} for all others. */
    public long capacity() {
        return quota.capacity();
    }

    /** Returns the largest cost of one call: {@link #capacity}, or the part of it that the smallest shard holds. */
    public long largestCost() {
        return quota.capacity() / shards;
    }

    private static Quota quota(String name, long maxRequests, Duration windowSize, long burst) {
        return named(name, () -> new Quota(maxRequests, micros(windowSize), burst));
    }

    private static void checkElements(String name, String algorithm, long maxRequests, long lease, int shards) {
        if (maxRequests > MOST_ELEMENTS) {
            throw new IllegalArgumentException("limit '%s': max-requests '%d' of %s must be at most %d"
                    .formatted(name, maxRequests, algorithm, MOST_ELEMENTS));
        }
        if (lease != 1) {
            throw new IllegalArgumentException(
                    "limit '%s': lease '%d' is not supported by %s: leave it out".formatted(name, lease, algorithm));
        }
        if (shards != 1) {
            throw new IllegalArgumentException(
                    "limit '%s': shards '%d' is not supported by %s: leave it out".formatted(name, shards, algorithm));
        }
    }

    private static void checkShards(String name, Quota quota, int shards) {
        if (shards < 1 || shards > MOST_SHARDS) {
            throw new IllegalArgumentException(
                    "limit '%s': shards '%d' must be at least 1 and at most %d".formatted(name, shards, MOST_SHARDS));
        }
        if (Math.min(quota.maxRequests(), quota.capacity()) < shards) {
            throw new IllegalArgumentException(
                    "limit '%s': shards '%d' must be at most %d, because each needs at least one request: lower it, or raise the limit"
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
