package io.ratelimit.stack;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreListener;
import io.ratelimit.internal.CompletionExecutor;
import io.ratelimit.internal.Deadline;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.Settlements;
import io.ratelimit.internal.lease.LeasingRateLimiter;
import io.ratelimit.internal.shard.ShardingRateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.redis.RedisRateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The limiter that applications use: a store and the layers around it. The Spring Boot starter, the benchmarks and the
 * fault tests all build it here. Thread-safe.
 *
 * <pre>
 *   acquire
 *      │
 *   around             if there are any: layers of the application's own, such as tracing
 *   report only        if enabled: decides and logs, but refuses nothing
 *   listeners          if there are any: passes every decision to them
 *   refusals           repeats a refusal until its retryAfter, for a second at most
 *   failure policy     decides local, open or closed while the store fails
 *   deadline           bounds decisions that take several store calls; passes others straight to Redis
 *   leases             serves limits with a lease from quota taken in advance
 *   shards             spreads limits with shards over several keys
 *   Redis              one script call a batch, a circuit breaker a node
 * </pre>
 *
 * <pre>{@code
 * try (RateLimiterStack limiter = RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
 *         .onStoreFailure(FailurePolicy.LOCAL)
 *         .timeout(Duration.ofMillis(100))
 *         .build()) {
 *     Decision decision = limiter.acquire(Acquisition.of(limit, "alice"));
 * }
 * }</pre>
 *
 * <p>In memory, only listeners, report only and layers around surround the store, because it cannot fail or be slow.
 */
public final class RateLimiterStack implements RateLimiter, AutoCloseable {

    private final RateLimiter outermost;
    private final boolean shared;
    private final Supplier<StackState> state;
    private final List<Runnable> closeActions;
    private final Settlements settlements = new Settlements();

    private RateLimiterStack(
            RateLimiter outermost, boolean shared, Supplier<StackState> state, List<Runnable> closeActions) {
        this.outermost = outermost;
        this.shared = shared;
        this.state = state;
        this.closeActions = closeActions;
    }

    /** Starts a stack that counts in Redis, shared by every process that uses the same Redis and key prefix. */
    public static Builder onRedis(RedisConnections connections) {
        return new Builder(RedisRateLimiter.builder(connections));
    }

    /** Starts a stack that counts in this process's memory. Settings for Redis have no effect on it. */
    public static Builder inMemory() {
        return new Builder(null);
    }

    /** Returns whether other processes share the counts: true on Redis, false in memory. */
    public boolean isShared() {
        return shared;
    }

    /** Returns what the stack holds now. */
    public StackState state() {
        return state.get();
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        return outermost.acquire(acquisition);
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return outermost.acquireAsync(acquisition);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return outermost.peekAsync(acquisition);
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        return settlements.begins(acquisition, decision, actual)
                ? outermost.settleAsync(acquisition, decision, actual)
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return outermost.resetAsync(limit, subject);
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        return outermost.banAsync(limit, subject);
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        return outermost.unbanAsync(limit, subject);
    }

    /** Gives back what leases hold and ends the threads of the layers. The connection to Redis stays open. */
    @Override
    public void close() {
        closeActions.forEach(Runnable::run);
    }

    /** Settings of a stack. Not thread-safe. */
    public static final class Builder {

        private final RedisRateLimiter.@Nullable Builder store;
        private final List<DecisionListener> listeners = new ArrayList<>();
        private Duration timeout = Duration.ofMillis(100);
        private FailurePolicy onStoreFailure = FailurePolicy.LOCAL;
        private final List<UnaryOperator<RateLimiter>> around = new ArrayList<>();
        private boolean reportOnly;
        private @Nullable Executor completions;
        private @Nullable InMemoryRateLimiter memory;

        private Builder(RedisRateLimiter.@Nullable Builder store) {
            this.store = store;
        }

        /**
         * Sets the first part of every key, {@code rate_limit} by default.
         *
         * @throws IllegalArgumentException from {@link #build} if it is blank or contains a brace
         */
        public Builder keyPrefix(String keyPrefix) {
            if (store != null) {
                store.keyPrefix(keyPrefix);
            }
            return this;
        }

        /**
         * Sets how long one decision may wait for Redis, 100 ms by default.
         *
         * @throws IllegalArgumentException if it is below 1 ms
         */
        public Builder timeout(Duration timeout) {
            if (store != null) {
                store.timeout(timeout);
            }
            this.timeout = timeout;
            return this;
        }

        /** Sets the policy for acquisitions without their own while Redis fails; {@code LOCAL} by default. */
        public Builder onStoreFailure(FailurePolicy policy) {
            this.onStoreFailure = policy;
            return this;
        }

        /** Sets whether calls are decided, counted and logged but never refused; false by default. */
        public Builder reportOnly(boolean reportOnly) {
            this.reportOnly = reportOnly;
            return this;
        }

        /** Adds a listener. Listeners are called in the order in which they were added. */
        public Builder listener(DecisionListener listener) {
            listeners.add(listener);
            return this;
        }

        /** Adds a listener to the round trips to Redis. */
        public Builder storeListener(StoreListener listener) {
            if (store != null) {
                store.listener(listener);
            }
            return this;
        }

        /**
         * Puts a layer around all others, such as one that traces decisions. The last one added is the outermost.
         */
        public Builder around(UnaryOperator<RateLimiter> layer) {
            around.add(layer);
            return this;
        }

        /**
         * Sets the executor that completes stages and therefore runs callbacks. By default that is a thread of the
         * limiter, and further threads while callbacks block.
         */
        public Builder completeOn(Executor completions) {
            this.completions = completions;
            return this;
        }

        /**
         * Sets what counts in memory: the store of a stack in memory, or what decides locally while Redis fails. By
         * default it keeps 100,000 subjects of each limit.
         */
        public Builder memory(InMemoryRateLimiter memory) {
            this.memory = memory;
            return this;
        }

        /** Builds from the store outwards. Nothing connects or blocks here. */
        public RateLimiterStack build() {
            InMemoryRateLimiter local = memory == null ? InMemoryRateLimiter.create() : memory;
            return store == null ? inMemory(local) : onRedis(store, local);
        }

        private RateLimiterStack inMemory(InMemoryRateLimiter memory) {
            return new RateLimiterStack(
                    observed(memory), false, () -> new StackState(Map.of(), memory.subjects(), 0, 0), List.of());
        }

        private RateLimiterStack onRedis(RedisRateLimiter.Builder store, InMemoryRateLimiter local) {
            ScheduledExecutorService scheduler = Scheduler.newThread();
            Executor completing = completions == null ? new CompletionExecutor(scheduler) : completions;
            RedisRateLimiter redis =
                    store.scheduler(scheduler).completeOn(completing).build();
            LeasingRateLimiter leasing =
                    new LeasingRateLimiter(new ShardingRateLimiter(redis), Scheduler.on(scheduler), completing);
            RateLimiter bounded = new DeadlineRateLimiter(leasing, redis, new Deadline(timeout, scheduler, completing));
            OutageLog outage = new OutageLog(System::nanoTime);
            RefusalCachingRateLimiter refusals = new RefusalCachingRateLimiter(
                    new FailurePolicyRateLimiter(bounded, ready(local), onStoreFailure, outage));
            return new RateLimiterStack(
                    observed(refusals),
                    true,
                    () -> new StackState(redis.breakers(), local.subjects(), leasing.leases(), refusals.remembered()),
                    List.of(outage::close, leasing::close, redis::close, scheduler::shutdownNow));
        }

        private RateLimiter observed(RateLimiter limiter) {
            RateLimiter heard = listeners.isEmpty() ? limiter : new ListeningRateLimiter(limiter, listeners);
            RateLimiter outermost = reportOnly ? new ReportOnlyRateLimiter(heard) : heard;
            for (UnaryOperator<RateLimiter> layer : around) {
                outermost = layer.apply(outermost);
            }
            return outermost;
        }

        /** Makes a decision in memory, so that the first call of the first outage does not wait for class loading. */
        private static RateLimiter ready(RateLimiter local) {
            local.peek(Acquisition.of(Limit.of("ready", Algorithm.FIXED_WINDOW, 1, Duration.ofSeconds(1)), "nobody"));
            return local;
        }
    }
}
