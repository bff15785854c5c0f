package io.ratelimit.redis;

import io.ratelimit.StoreListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link RedisRateLimiter}. Not thread-safe. */
public final class RedisRateLimiterBuilder {

    final RedisConnections connections;
    String keyPrefix = "rate_limit";
    Duration timeout = Duration.ofMillis(100);

    @Nullable
    Executor completions;

    @Nullable
    ScheduledExecutorService scheduler;

    final List<StoreListener> listeners = new ArrayList<>();
    String clockText = EngineScript.resource("clock");

    RedisRateLimiterBuilder(RedisConnections connections) {
        this.connections = connections;
    }

    /**
     * Sets the first part of every key, {@code rate_limit} by default.
     *
     * @throws IllegalArgumentException from {@link #build} if it is blank or contains a brace
     */
    public RedisRateLimiterBuilder keyPrefix(String keyPrefix) {
        this.keyPrefix = keyPrefix;
        return this;
    }

    /**
     * Sets how long one decision may wait for Redis, 100 ms by default.
     *
     * @throws IllegalArgumentException if it is below 1 ms
     */
    public RedisRateLimiterBuilder timeout(Duration timeout) {
        if (timeout.toMillis() < 1) {
            throw new IllegalArgumentException("timeout '%s' must be at least 1ms".formatted(timeout));
        }
        this.timeout = timeout;
        return this;
    }

    /**
     * Sets the executor that completes the stages of callers and therefore runs their callbacks. By default that is a
     * thread of the limiter, and further threads while callbacks block. What the executor rejects completes on such a
     * thread. A thread of the executor must not wait for a stage, which may need that thread; it may make calls that block.
     */
    public RedisRateLimiterBuilder completeOn(Executor completions) {
        this.completions = completions;
        return this;
    }

    /**
     * Sets the scheduler of timeouts, by default a daemon thread of the limiter. The limiter does not shut it down. Close
     * the limiter before it is shut down: without it, calls may fail with what it throws, or have no timeout.
     */
    public RedisRateLimiterBuilder scheduler(ScheduledExecutorService scheduler) {
        this.scheduler = scheduler;
        return this;
    }

    /** Adds a listener to the round trips. Listeners are called in the order in which they were added. */
    public RedisRateLimiterBuilder listener(StoreListener listener) {
        listeners.add(listener);
        return this;
    }

    /** Replaces {@code clock.lua}, for tests that choose the time. */
    RedisRateLimiterBuilder clockText(String clockText) {
        this.clockText = clockText;
        return this;
    }

    public RedisRateLimiter build() {
        return new RedisRateLimiter(this);
    }
}
