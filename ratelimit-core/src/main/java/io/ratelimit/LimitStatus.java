package io.ratelimit;

import io.ratelimit.internal.Micros;
import java.time.Duration;

/**
 * The answer of one limit to one {@link Acquisition}. Immutable and thread-safe.
 *
 * <p>Example: five per minute, all used 12 s ago. Then {@code remaining} is 0, and {@code retryAfter} and
 * {@code resetAfter} are 48 s.
 *
 * @param limit the limit that answered
 * @param remaining requests of cost 1 that the limit would still admit after this call
 * @param retryAfter time until this same call (same cost) would be admitted if nobody else calls; zero if this limit
 *     admits it. Of {@link Algorithm#CONCURRENCY} a second at most, because a call in flight may end at any moment
 * @param resetAfter time until the whole quota is free again if nobody calls; zero if it is free now
 * @param shard index of the shard that answered, which is settled; 0 for a limit without shards
 * @param bannedFor time until the subject's ban ends; zero if it is not banned. While it is, nothing remains, and {@code
 *     retryAfter} and {@code resetAfter} are not shorter
 * @param decidedLater how long after {@link Decision#decidedAt} this limit was decided, which is settled as of then; zero
 *     unless the acquisition took several slots of a Cluster, whose nodes have a clock each
 * @param blocked whether a block or a cap of the subject refuses the call: then neither {@code retryAfter} nor {@code
 *     resetAfter} ends before it. Under a block nothing remains; under a cap, less than the call costs
 * @param givenBack in how much time what a token bucket has given back until now refills, by which its settlements know what is still
 *     theirs; zero of all other algorithms, and if it has given back nothing
 */
public record LimitStatus(
        Limit limit,
        long remaining,
        Duration retryAfter,
        Duration resetAfter,
        int shard,
        Duration bannedFor,
        Duration decidedLater,
        boolean blocked,
        Duration givenBack) {

    /** Creates the answer of a limit that has given back nothing. */
    public LimitStatus(
            Limit limit,
            long remaining,
            Duration retryAfter,
            Duration resetAfter,
            int shard,
            Duration bannedFor,
            Duration decidedLater,
            boolean blocked) {
        this(limit, remaining, retryAfter, resetAfter, shard, bannedFor, decidedLater, blocked, Duration.ZERO);
    }

    /** Creates the answer of a limit that is not blocked. */
    public LimitStatus(
            Limit limit,
            long remaining,
            Duration retryAfter,
            Duration resetAfter,
            int shard,
            Duration bannedFor,
            Duration decidedLater) {
        this(limit, remaining, retryAfter, resetAfter, shard, bannedFor, decidedLater, false);
    }

    /** Creates the answer of a limit that has not banned the subject. */
    public LimitStatus(Limit limit, long remaining, Duration retryAfter, Duration resetAfter, int shard) {
        this(limit, remaining, retryAfter, resetAfter, shard, Duration.ZERO, Duration.ZERO);
    }

    /** Creates the answer of a limit without shards. */
    public LimitStatus(Limit limit, long remaining, Duration retryAfter, Duration resetAfter) {
        this(limit, remaining, retryAfter, resetAfter, 0);
    }

    /** Creates the answer of a limit without shards from times in µs. */
    public static LimitStatus ofMicros(Limit limit, long remaining, long retryAfterMicros, long resetAfterMicros) {
        return new LimitStatus(
                limit, remaining, Micros.toDuration(retryAfterMicros), Micros.toDuration(resetAfterMicros));
    }

    /** Returns the same answer to a subject that is banned for another {@code banMicros}, which is above 0. */
    public LimitStatus banned(long banMicros) {
        Duration left = Micros.toDuration(banMicros);
        return new LimitStatus(
                limit,
                0,
                Micros.longer(left, retryAfter),
                Micros.longer(left, resetAfter),
                shard,
                left,
                decidedLater,
                blocked,
                givenBack);
    }

    /** Returns the same answer, decided so long after {@link Decision#decidedAt}. */
    public LimitStatus decidedLater(Duration later) {
        return new LimitStatus(limit, remaining, retryAfter, resetAfter, shard, bannedFor, later, blocked, givenBack);
    }

    /** Returns the same answer of a limit that is blocked. */
    public LimitStatus asBlocked() {
        return new LimitStatus(
                limit, remaining, retryAfter, resetAfter, shard, bannedFor, decidedLater, true, givenBack);
    }

    /** Returns the same answer of a bucket that has given back what refills in so many µs. */
    public LimitStatus afterGivingBack(long micros) {
        return micros == 0
                ? this
                : new LimitStatus(
                        limit,
                        remaining,
                        retryAfter,
                        resetAfter,
                        shard,
                        bannedFor,
                        decidedLater,
                        blocked,
                        Micros.toDuration(micros));
    }

    /** Returns whether the subject is banned. */
    public boolean banned() {
        return !bannedFor.isZero();
    }

    /** Returns whether this limit refuses the call. */
    public boolean refuses() {
        return !retryAfter.isZero();
    }
}
