package io.ratelimit.spring.internal.live;

import io.ratelimit.Limit;
import io.ratelimit.Quota;
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
     * Returns the limit with these numbers.
     *
     * @throws IllegalArgumentException if it cannot have them
     */
    public Limit checked(Limit own) {
        return with(own, maxRequests, burst);
    }

    /**
     * Returns the limit with these numbers, and with all else that it has.
     *
     * @throws IllegalArgumentException if it cannot have them
     */
    static Limit with(Limit own, long maxRequests, @Nullable Long burst) {
        boolean hasBurst = own.capacity() != own.maxRequests();
        long capacity = burst != null ? burst : hasBurst ? own.capacity() : maxRequests;
        Quota quota = new Quota(maxRequests, own.quota().window(), capacity);
        return new Limit(
                own.name(), own.algorithm(), quota, own.lease(), own.shards(), own.ban(), own.plan(), own.reportOnly());
    }
}
