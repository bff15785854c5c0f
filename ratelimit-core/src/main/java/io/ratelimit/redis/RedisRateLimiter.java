package io.ratelimit.redis;

import io.lettuce.core.cluster.SlotHash;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Counts in Redis, so that all processes share one exact limit; one round trip a decision, whatever the number of its
 * limits. Time is Redis' own. Thread-safe.
 *
 * <pre>{@code
 * RateLimiter limiter = RedisRateLimiter.builder(RedisConnections.of(client.connect())).build();
 * }</pre>
 *
 * <p>On a Cluster the limits of one subject are one round trip; several subjects in one acquisition are one for each
 * slot, and what was taken is given back if a later one refuses.
 *
 * <p>A decision that Redis does not give within the timeout fails with
 * {@link io.ratelimit.StoreUnavailableException}. {@link #close} ends the one thread that watches the timeouts, and
 * tells whoever waits still, or comes later, in that way; the connection stays the caller's.
 */
public final class RedisRateLimiter implements RateLimiter, AutoCloseable {

    private final RateLimiter limiter;
    private final ScheduledThreadPoolExecutor watcher;

    private RedisRateLimiter(Builder builder) {
        this.watcher = new ScheduledThreadPoolExecutor(1, action -> {
            Thread thread = new Thread(action, "ratelimit-timeouts");
            thread.setDaemon(true);
            return thread;
        });
        RedisConnections connections = builder.connections;
        StateKeyFormat stateKeys = new StateKeyFormat(builder.keyPrefix);
        ScriptRunner runner = new ScriptRunner(connections);
        Map<Set<Algorithm>, EngineScript> scripts = new ConcurrentHashMap<>();
        Supplier<Batcher> conveyor = () -> new Batcher(
                stateKeys,
                runner,
                algorithms -> scripts.computeIfAbsent(algorithms, inUse -> EngineScript.of(builder.clockText, inUse)),
                builder.timeout,
                watcher);
        SingleSlotRateLimiter oneSlot = new SingleSlotRateLimiter(
                stateKeys,
                connections.isCluster() ? oneForEachSlot(stateKeys, conveyor) : oneForAll(conveyor.get()),
                connections,
                builder.timeout);
        this.limiter = connections.isCluster()
                ? new MultiSlotRateLimiter(oneSlot, charge -> SlotHash.getSlot(stateKeys.key(charge)), builder.timeout)
                : oneSlot;
    }

    private static Function<Charge, Batcher> oneForAll(Batcher only) {
        return charge -> only;
    }

    private static Function<Charge, Batcher> oneForEachSlot(StateKeyFormat stateKeys, Supplier<Batcher> conveyor) {
        Map<Integer, Batcher> bySlot = new ConcurrentHashMap<>();
        return charge -> bySlot.computeIfAbsent(SlotHash.getSlot(stateKeys.key(charge)), slot -> conveyor.get());
    }

    public static Builder builder(RedisConnections connections) {
        return new Builder(connections);
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return limiter.acquireAsync(acquisition);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return limiter.peekAsync(acquisition);
    }

    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        return limiter.refundAsync(acquisition, decision);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return limiter.resetAsync(limit, subject);
    }

    @Override
    public void close() {
        watcher.shutdown();
    }

    /** Settings of a {@link RedisRateLimiter}. Not thread-safe. */
    public static final class Builder {

        private final RedisConnections connections;
        private String keyPrefix = "rate_limit";
        private Duration timeout = Duration.ofMillis(100);
        private String clockText = EngineScript.resource("clock");

        private Builder(RedisConnections connections) {
            this.connections = connections;
        }

        /**
         * First part of every key, {@code rate_limit} unless said.
         *
         * @throws IllegalArgumentException from {@link #build} if it is blank or holds a brace
         */
        public Builder keyPrefix(String keyPrefix) {
            this.keyPrefix = keyPrefix;
            return this;
        }

        /**
         * How long one decision may wait for Redis, 100 ms unless said.
         *
         * @throws IllegalArgumentException if it is below 1 ms
         */
        public Builder timeout(Duration timeout) {
            if (timeout.toMillis() < 1) {
                throw new IllegalArgumentException("timeout '%s' must be at least 1ms".formatted(timeout));
            }
            this.timeout = timeout;
            return this;
        }

        /** Replaces {@code clock.lua}, for tests that choose the time. */
        Builder clockText(String clockText) {
            this.clockText = clockText;
            return this;
        }

        public RedisRateLimiter build() {
            return new RedisRateLimiter(this);
        }
    }
}
