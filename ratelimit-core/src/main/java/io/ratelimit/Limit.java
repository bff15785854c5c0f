package io.ratelimit;

import io.ratelimit.internal.Micros;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

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
 * share nothing. A limit with shards shares no counts with one without, and some shards with one that has another number of
 * them. A limit that only reports shares none with one that refuses.
 *
 * @param name printable ASCII without space, quote, backslash or brace, at most 200 characters; it is part of keys,
 *     headers and metrics
 * @param algorithm how requests are counted
 * @param quota the numbers
 * @param lease how many requests an instance takes from the store in advance, to serve them itself for a second; 1 for
 *     no lease
 * @param shards number of keys that share the quota of a subject, for subjects that are too busy for one Redis core; 1
 *     for no shards
 * @param ban how subjects are banned that keep calling although they are refused
 * @param plan name of the plan whose numbers these are; empty for the limit's own
 * @param reportOnly whether the limit decides and counts calls, and refuses none
 */
public record Limit(
        String name,
        Algorithm algorithm,
        Quota quota,
        long lease,
        int shards,
        Optional<Ban> ban,
        Optional<String> plan,
        boolean reportOnly) {

    /** Largest number of shards. A refused call has made a store call for each of them. */
    public static final int MOST_SHARDS = 64;

    /** Most distinct elements that a limit can count exactly: each takes 7 bytes in Redis, which every decision reads. */
    public static final long MOST_ELEMENTS = 100_000;

    private static final Duration COUNTABLE = Duration.ofDays(366_000);

    /**
     * @throws NullPointerException if the name, the algorithm or the quota is null
     * @throws IllegalArgumentException if the name is not valid, the algorithm has no burst but the quota has one,
     *     a shard would have less than one request, the lease exceeds {@link #largestCost}, or distinct elements are
     *     more than {@link #MOST_ELEMENTS} or have a lease or shards, or a ban comes with a lease or shards, or
     *     counts failures of calls in flight or distinct elements, or a plan comes with a lease or shards, or a limit that
     *     only reports has a ban
     */
    public Limit {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(algorithm, "algorithm");
        Objects.requireNonNull(quota, "quota");
        LimitChecks.check(name, algorithm, quota, lease, shards, ban, plan, reportOnly);
    }

    /** Creates a limit without lease, shards and ban. */
    public Limit(String name, Algorithm algorithm, Quota quota) {
        this(name, algorithm, quota, 1, 1, Optional.empty(), Optional.empty(), false);
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
     * Creates a limit of {@code maxRequests} in each period of the calendar, counted by {@link Algorithm#FIXED_WINDOW}.
     *
     * @throws IllegalArgumentException if a value is out of range; the message names the limit and quotes the value
     */
    public static Limit of(String name, long maxRequests, CalendarPeriod period) {
        Quota quota = named(name, () -> new Quota(maxRequests, Window.of(period), maxRequests));
        return new Limit(name, Algorithm.FIXED_WINDOW, quota);
    }

    /**
     * Returns this limit with another burst: the number of requests that it admits at once.
     *
     * @throws IllegalArgumentException if the algorithm has no burst, or it is out of range
     */
    public Limit withBurst(long burst) {
        Quota bursting = named(name, () -> new Quota(maxRequests(), quota.window(), burst));
        return new Limit(name, algorithm, bursting, lease, shards, ban, plan, reportOnly);
    }

    /**
     * Returns this limit with its window divided into {@code buckets} parts, which a {@link Algorithm#SLIDING_WINDOW_COUNTER}
     * counts apart. So no time of W - W / buckets admits more than {@code maxRequests}. A subject takes 6 bytes more for each part.
     * Limits with other numbers of parts share no counts.
     *
     * @param buckets from 2 to {@link Window#MOST_BUCKETS}, or 1 for the limit without parts
     * @throws IllegalArgumentException if it is out of range or does not divide the window into whole µs, or the algorithm is
     *     another
     */
    public Limit withBuckets(int buckets) {
        LimitChecks.checkBuckets(name, algorithm, buckets);
        Quota divided =
                named(name, () -> new Quota(maxRequests(), quota.window().dividedInto(buckets), capacity()));
        return new Limit(name, algorithm, divided, lease, shards, ban, plan, reportOnly);
    }

    /**
     * Returns this limit with a lease: each instance takes up to {@code lease} requests at a time from a shared store,
     * serves them itself for at most a second, and gives the rest back. Has no effect on a store in memory.
     *
     * @throws IllegalArgumentException if {@code lease} is below 1 or above {@link #largestCost}
     */
    public Limit withLease(long lease) {
        return new Limit(name, algorithm, quota, lease, shards, ban, plan, reportOnly);
    }

    /**
     * Returns this limit with its quota split between {@code shards} keys of a shared store, each in its own Cluster
     * slot. A call may then cost at most what the smallest shard holds. Has no other effect on a store in memory.
     *
     * @throws IllegalArgumentException if {@code shards} is not within 1 and {@link #MOST_SHARDS}, or a shard would
     *     have less than one request
     */
    public Limit withShards(int shards) {
        return new Limit(name, algorithm, quota, lease, shards, ban, plan, reportOnly);
    }

    /**
     * Returns this limit with a ban: a subject that this limit refuses {@code after} times within a time is refused until
     * the ban is over, whatever the limit has left. The next ban is longer, until the subject has been quiet.
     *
     * <pre>{@code
     * Limit logins = Limit.of("login", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMinutes(15))
     *         .withBan(3, Duration.ofMinutes(10), Duration.ofMinutes(1), Duration.ofHours(1));
     * }</pre>
     *
     * <p>A subject has been quiet if, after its last ban ended, no ban began for as long as that ban took, or for
     * {@code within} if that is longer. A refusal during a ban is not counted. Not supported with a lease or shards.
     *
     * @param after refusals that begin a ban, from 1 to {@link Ban#MOST_REFUSALS}
     * @param within time in which they must come, from 1 ms to 366 days
     * @param lengths how long the first ban lasts, the next, and so on; the last one holds for all later bans
     * @throws IllegalArgumentException if a number is out of range, a ban is shorter than the one before, or the limit has
     *     a lease or shards
     */
    public Limit withBan(int after, Duration within, Duration... lengths) {
        return withBan(named(
                name,
                () -> new Ban(
                        after,
                        micros("ban within", within),
                        Arrays.stream(lengths)
                                .map(length -> micros("ban for", length))
                                .toList())));
    }

    /**
     * Returns this limit with a ban that failures begin instead of refusals. A failure is a call that was settled at a cost
     * above 0, so settle each call, and those that succeed at 0. One call is one failure, whatever it cost.
     *
     * @throws IllegalArgumentException if the limit has no ban, or its algorithm does not count costs, such as
     *     {@link Algorithm#CONCURRENCY}
     */
    public Limit banningFailures() {
        return withBan(existingBan().countingFailures(true));
    }

    /**
     * Returns this limit with a ban that refusals begin, as {@link #withBan} creates it.
     *
     * @throws IllegalArgumentException if the limit has no ban
     */
    public Limit banningRefusals() {
        return withBan(existingBan().countingFailures(false));
    }

    /**
     * Returns this limit with the numbers of a plan. What a subject has used is kept when its plan changes: of a limit of
     * 100, of which 40 are used, a plan of 50 has 10 left. Not supported with a lease or shards.
     *
     * <pre>{@code
     * Limit gold = api.withPlan("gold", 6_000); // 6,000 in the window of api
     * }</pre>
     *
     * @throws IllegalArgumentException if the plan has no name, the number is out of range, or the limit has a lease or shards
     */
    public Limit withPlan(String plan, long maxRequests) {
        return withPlan(plan, maxRequests, maxRequests);
    }

    /**
     * Returns this limit with the numbers of a plan that has a burst.
     *
     * @throws IllegalArgumentException as {@link #withPlan(String, long)} does, or if the algorithm has no burst
     */
    public Limit withPlan(String plan, long maxRequests, long burst) {
        Quota numbers = named(name, () -> new Quota(maxRequests, quota.window(), burst));
        return new Limit(name, algorithm, numbers, lease, shards, ban, Optional.of(plan), reportOnly);
    }

    /**
     * Returns this limit as one that only reports, to try it on real traffic: it decides and counts, and refuses nothing.
     * Its ban is left out. It takes nothing from limits that refuse, also not from one of its name, and is not charged for a
     * call that one of those refuses.
     *
     * <pre>{@code
     * Acquisition call = Acquisition.of(hundred, "alice").and(fifty.withReportOnly(), "alice");
     * Decision decision = limiter.acquire(call); // admits 100, of which fifty would have refused 50
     * decision.exceeded(); // names fifty from the 51st call on
     * }</pre>
     *
     * <p>Only limiters that are built as a stack do so; a store on its own refuses.
     */
    public Limit withReportOnly() {
        return new Limit(name, algorithm, quota, lease, shards, Optional.empty(), plan, true);
    }

    /**
     * Returns the limit of one shard. All shards together admit what this limit admits.
     *
     * @param index from 0 to {@code shards - 1}
     */
    public Limit shard(int index) {
        Limit shard = new Limit(name, algorithm, quota.part(index, shards));
        return reportOnly ? shard.withReportOnly() : shard;
    }

    /** Returns the number of requests per window. */
    public long maxRequests() {
        return quota.maxRequests();
    }

    /** Returns the length of a window; of a period of the calendar that of the longest one. */
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

    private Ban existingBan() {
        return ban.orElseThrow(() -> new IllegalArgumentException(
                "limit '%s' has no ban: add one by withBan or the property ban".formatted(name)));
    }

    private Limit withBan(Ban ban) {
        return new Limit(name, algorithm, quota, lease, shards, Optional.of(ban), plan, reportOnly);
    }

    private static Quota quota(String name, long maxRequests, Duration windowSize, long burst) {
        return named(name, () -> new Quota(maxRequests, micros("window-size", windowSize), burst));
    }

    static <T> T named(String name, Supplier<T> numbers) {
        try {
            return numbers.get();
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException("limit '%s': %s".formatted(name, invalid.getMessage()), invalid);
        }
    }

    /** Rejects what cannot be counted in µs; what is countable and out of range is rejected by the numbers. */
    private static long micros(String what, Duration time) {
        if (time.compareTo(COUNTABLE) > 0 || time.compareTo(COUNTABLE.negated()) < 0) {
            throw new IllegalArgumentException("%s '%s' must be at least 1ms and at most 366d".formatted(what, time));
        }
        return Micros.of(time);
    }
}
