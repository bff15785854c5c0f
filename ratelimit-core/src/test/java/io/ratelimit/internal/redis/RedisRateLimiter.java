package io.ratelimit.internal.redis;

import io.ratelimit.StoreListener;
import io.ratelimit.internal.CompletionExecutor;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.call.CallingRateLimiter;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.redis.BreakerState;
import io.ratelimit.redis.RedisConnections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;

/** A limiter that is the store in Redis and nothing else. */
public final class RedisRateLimiter extends CallingRateLimiter implements AutoCloseable {

    private final RedisStore store;
    private final Runnable closeThreads;

    private RedisRateLimiter(RedisStore store, Layer layer, CompletionExecutor callbacks, Runnable closeThreads) {
        super(layer, callbacks);
        this.store = store;
        this.closeThreads = closeThreads;
    }

    public static Builder builder(RedisConnections connections) {
        return new Builder(connections);
    }

    public Map<String, BreakerState> breakers() {
        return store.breakers();
    }

    @Override
    public void close() {
        store.close();
        closeThreads.run();
        store.close(); // fails a call that came meanwhile
    }

    public static final class Builder {

        private final RedisConnections connections;
        private final List<StoreListener> listeners = new ArrayList<>();
        private String keyPrefix = "rate_limit";
        private Duration timeout = Duration.ofMillis(100);
        private String clockText = EngineScript.resource("clock");
        private ScheduledExecutorService scheduler;

        private Builder(RedisConnections connections) {
            this.connections = connections;
        }

        public Builder keyPrefix(String keyPrefix) {
            this.keyPrefix = keyPrefix;
            return this;
        }

        public Builder timeout(Duration timeout) {
            this.timeout = timeout;
            return this;
        }

        public Builder listener(StoreListener listener) {
            listeners.add(listener);
            return this;
        }

        public Builder scheduler(ScheduledExecutorService scheduler) {
            this.scheduler = scheduler;
            return this;
        }

        Builder clockText(String clockText) {
            this.clockText = clockText;
            return this;
        }

        public RedisRateLimiter build() {
            return build(store -> store);
        }

        /** Builds the store with layers in front of it. */
        public RedisRateLimiter build(Function<Layer, Layer> layers) {
            ScheduledExecutorService timer = scheduler == null ? Scheduler.newThread() : scheduler;
            CompletionExecutor callbacks = new CompletionExecutor(timer);
            RedisStore store = new RedisStore(connections, keyPrefix, timeout, listeners, timer, callbacks, clockText);
            Layer last = connections.isCluster() ? new Slots(store, callbacks) : store;
            return new RedisRateLimiter(store, layers.apply(last), callbacks, () -> {
                if (scheduler == null) {
                    timer.shutdownNow();
                }
                callbacks.close();
            });
        }
    }
}
