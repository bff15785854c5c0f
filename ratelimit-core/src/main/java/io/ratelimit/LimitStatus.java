package io.ratelimit;

import io.ratelimit.internal.Micros;
import java.time.Duration;

/**
 * What one limit answered one {@link Acquisition}. Immutable and thread-safe.
 *
 * @param remaining requests of cost 1 that would still be admitted, after this call
 * @param retryAfter time until this same call (same cost) would be admitted if nobody else calls; zero if this limit
 *     admits it
 * @param resetAfter time until the whole quota is free again if nobody calls; zero if it is
 * @param shard which of the limit's shards answered, for a refund to find it again; 0 for a limit without
 */
public record LimitStatus(Limit limit, long remaining, Duration retryAfter, Duration resetAfter, int shard) {

    public LimitStatus(Limit limit, long remaining, Duration retryAfter, Duration resetAfter) {
        this(limit, remaining, retryAfter, resetAfter, 0);
    }

    public static LimitStatus ofMicros(Limit limit, long remaining, long retryAfterMicros, long resetAfterMicros) {
        return new LimitStatus(
                limit, remaining, Micros.toDuration(retryAfterMicros), Micros.toDuration(resetAfterMicros));
    }

    /** Whether this limit is a reason for the refusal. */
    public boolean refuses() {
        return !retryAfter.isZero();
    }
}
