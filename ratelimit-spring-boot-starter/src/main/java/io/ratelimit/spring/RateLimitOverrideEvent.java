package io.ratelimit.spring;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEvent;

/**
 * Published by each instance when it follows a change of the numbers of a limit that was made by the actuator endpoint: an
 * override has begun, was replaced, was lifted or has ended.
 *
 * <pre>{@code
 * @EventListener
 * void on(RateLimitOverrideEvent change) {
 *     audit.overridden(change.limit(), change.maxRequests());
 * }
 * }</pre>
 *
 * <p>Listeners run on the thread that follows the changes, so one that takes long, or that changes an override itself, must be
 * asynchronous: a change that waits for it fails after five seconds.
 */
public final class RateLimitOverrideEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    private final String limit;
    private final @Nullable Long maxRequests;
    private final @Nullable Long burst;
    private final @Nullable Instant until;

    private RateLimitOverrideEvent(
            String limit, @Nullable Long maxRequests, @Nullable Long burst, @Nullable Instant until) {
        super("rate limiter");
        this.limit = limit;
        this.maxRequests = maxRequests;
        this.burst = burst;
        this.until = until;
    }

    /** Creates the event of an override that begins, or replaces another one. */
    public static RateLimitOverrideEvent began(String limit, long maxRequests, @Nullable Long burst, Instant until) {
        return new RateLimitOverrideEvent(limit, maxRequests, burst, until);
    }

    /** Creates the event of an override that was lifted or has ended. */
    public static RateLimitOverrideEvent ended(String limit) {
        return new RateLimitOverrideEvent(limit, null, null, null);
    }

    /** Returns the name of the limit. */
    public String limit() {
        return limit;
    }

    /** Returns the requests per window that are admitted now; empty if the limit has its own numbers again. */
    public OptionalLong maxRequests() {
        return maxRequests == null ? OptionalLong.empty() : OptionalLong.of(maxRequests);
    }

    /** Returns the burst of a token bucket, if it is overridden. */
    public OptionalLong burst() {
        return burst == null ? OptionalLong.empty() : OptionalLong.of(burst);
    }

    /** Returns when the override ends, by the store's clock; empty if it has ended. */
    public Optional<Instant> until() {
        return Optional.ofNullable(until);
    }
}
