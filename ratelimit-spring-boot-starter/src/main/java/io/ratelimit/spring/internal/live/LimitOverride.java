package io.ratelimit.spring.internal.live;

import io.ratelimit.Limit;
import io.ratelimit.Quota;
import io.ratelimit.internal.numbers.OtherNumbers;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Numbers that a limit has for a while in place of its own and of those of its plans. Immutable and thread-safe.
 *
 * @param limit the name of the limit
 * @param burst of a token bucket; null if the bucket keeps its own
 * @param until when it ends, by the store's clock
 */
public record LimitOverride(
        String limit, long maxRequests, @Nullable Long burst, Instant until) {

    /** True if the limit can have these numbers. */
    public boolean fits(Limit own) {
        try {
            checked(own);
            return true;
        } catch (IllegalArgumentException notHere) {
            return false;
        }
    }

    /**
     * Returns the limit with these numbers, and with all else that it has.
     *
     * @throws IllegalArgumentException if it cannot have them
     */
    public Limit checked(Limit own) {
        long capacity = burst == null ? OtherNumbers.burst(own, maxRequests) : burst;
        Quota quota = new Quota(maxRequests, own.quota().window(), capacity);
        return new Limit(
                own.name(), own.algorithm(), quota, own.lease(), own.shards(), own.ban(), own.plan(), own.reportOnly());
    }
}
