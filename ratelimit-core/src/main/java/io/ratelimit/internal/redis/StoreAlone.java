package io.ratelimit.internal.redis;

import io.ratelimit.internal.CompletionExecutor;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.call.CallingRateLimiter;
import io.ratelimit.redis.RedisConnections;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

/** The store in Redis without any layer: each call asks Redis, and fails if that does not answer. Thread-safe. */
public final class StoreAlone extends CallingRateLimiter implements AutoCloseable {

    private final Runnable close;

    private StoreAlone(RedisStore store, CompletionExecutor callbacks, ScheduledExecutorService scheduler) {
        super(store, callbacks);
        this.close = () -> {
            store.close();
            scheduler.shutdownNow();
            callbacks.close();
        };
    }

    public static StoreAlone on(RedisConnections connections, String keyPrefix, Duration timeout) {
        ScheduledExecutorService scheduler = Scheduler.newThread();
        CompletionExecutor callbacks = new CompletionExecutor(scheduler);
        RedisStore store = new RedisStore(connections, keyPrefix, timeout, List.of(), scheduler, callbacks);
        return new StoreAlone(store, callbacks, scheduler);
    }

    @Override
    public void close() {
        close.run();
    }
}
