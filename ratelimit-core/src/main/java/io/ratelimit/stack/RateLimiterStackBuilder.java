package io.ratelimit.stack;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.DecisionListener;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreListener;
import io.ratelimit.internal.CompletingRateLimiter;
import io.ratelimit.internal.CompletionExecutor;
import io.ratelimit.internal.Deadline;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.lease.LeasingRateLimiter;
import io.ratelimit.internal.shard.ShardingRateLimiter;
import io.ratelimit.internal.waiting.WaitingRateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.redis.RedisRateLimiter;
import io.ratelimit.redis.RedisRateLimiterBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link RateLimiterStack}, from {@link RateLimiterStack#onRedis} or {@link RateLimiterStack#inMemory}. Not
 * thread-safe.
 */
public final class RateLimiterStackBuilder {

    private final @Nullable RedisRateLimiterBuilder store;
    private final List<DecisionListener> listeners = new ArrayList<>();
    private Duration timeout = Duration.ofMillis(100);
    private FailurePolicy onStoreFailure = FailurePolicy.LOCAL;
    private final List<UnaryOperator<RateLimiter>> around = new ArrayList<>();
    private boolean reportOnly;
    private @Nullable Executor completions;
    private @Nullable InMemoryRateLimiter memory;

    RateLimiterStackBuilder(@Nullable RedisRateLimiterBuilder store) {
        this.store = store;
    }

    /**
     * Sets the first part of every key, {@code rate_limit} by default.
     *
     * @throws IllegalArgumentException from {@link #build} if it is blank or contains a brace
     */
    public RateLimiterStackBuilder keyPrefix(String keyPrefix) {
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
    public RateLimiterStackBuilder timeout(Duration timeout) {
        if (store != null) {
            store.timeout(timeout);
        }
        this.timeout = timeout;
        return this;
    }

    /** Sets the policy for acquisitions without their own while Redis fails; {@code LOCAL} by default. */
    public RateLimiterStackBuilder onStoreFailure(FailurePolicy policy) {
        this.onStoreFailure = policy;
        return this;
    }

    /** Sets whether calls are decided, counted and logged but never refused; false by default. */
    public RateLimiterStackBuilder reportOnly(boolean reportOnly) {
        this.reportOnly = reportOnly;
        return this;
    }

    /** Adds a listener. Listeners are called in the order in which they were added. */
    public RateLimiterStackBuilder listener(DecisionListener listener) {
        listeners.add(listener);
        return this;
    }

    /** Adds a listener to the round trips to Redis. */
    public RateLimiterStackBuilder storeListener(StoreListener listener) {
        if (store != null) {
            store.listener(listener);
        }
        return this;
    }

    /**
     * Puts a layer around all others, such as one that traces decisions. The last one added is the outermost.
     */
    public RateLimiterStackBuilder around(UnaryOperator<RateLimiter> layer) {
        around.add(layer);
        return this;
    }

    /**
     * Sets the executor that completes the stages of callers and therefore runs their callbacks. By default that is a
     * thread of the limiter, and further threads while callbacks block. What the executor rejects completes on such a
     * thread. A thread of the executor must not wait for a stage, which may need that thread; it may make calls that block.
     * They do not use the executor, nor do listeners and the layers of {@link #around}.
     */
    public RateLimiterStackBuilder completeOn(Executor completions) {
        this.completions = completions;
        return this;
    }

    /**
     * Sets what counts in memory: the store of a stack in memory, or what decides locally while Redis fails. By
     * default it keeps 100,000 subjects of each limit.
     */
    public RateLimiterStackBuilder memory(InMemoryRateLimiter memory) {
        this.memory = memory;
        return this;
    }

    /** Builds from the store outwards. Nothing connects or blocks here. */
    public RateLimiterStack build() {
        InMemoryRateLimiter local = memory == null ? InMemoryRateLimiter.create() : memory;
        return store == null ? inMemory(local) : onRedis(store, local);
    }

    private RateLimiterStack inMemory(InMemoryRateLimiter memory) {
        ScheduledExecutorService scheduler = Scheduler.newThread(); // its thread starts when a call waits
        CompletionExecutor own = new CompletionExecutor(scheduler);
        WaitingRateLimiter waiting = waiting(memory, scheduler, own);
        return new RateLimiterStack(
                observed(waiting, own),
                false,
                () -> new StackState(Map.of(), memory.subjects(), 0, 0, waiting.waiting()),
                List.of(waiting::close, scheduler::shutdownNow, own::close));
    }

    private RateLimiterStack onRedis(RedisRateLimiterBuilder store, InMemoryRateLimiter local) {
        ScheduledExecutorService scheduler = Scheduler.newThread();
        CompletionExecutor own = new CompletionExecutor(scheduler);
        RedisRateLimiter redis = store.scheduler(scheduler).completeOn(own).build();
        LeasingRateLimiter leasing =
                new LeasingRateLimiter(new ShardingRateLimiter(redis), Scheduler.on(scheduler), own);
        RateLimiter bounded = new DeadlineRateLimiter(leasing, redis, new Deadline(timeout, scheduler, own));
        OutageLog outage = new OutageLog(System::nanoTime);
        RefusalCachingRateLimiter refusals = new RefusalCachingRateLimiter(
                new FailurePolicyRateLimiter(bounded, ready(local), onStoreFailure, outage));
        WaitingRateLimiter waiting = waiting(refusals, scheduler, own);
        return new RateLimiterStack(
                observed(waiting, own),
                true,
                () -> new StackState(
                        redis.breakers(), local.subjects(), leasing.leases(), refusals.remembered(), waiting.waiting()),
                List.of(
                        waiting::close,
                        outage::close,
                        leasing::close,
                        redis::close,
                        scheduler::shutdownNow,
                        redis::close, // fails a call that came meanwhile, whose timeout was dropped
                        own::close));
    }

    private static WaitingRateLimiter waiting(
            RateLimiter limiter, ScheduledExecutorService scheduler, Executor completions) {
        return new WaitingRateLimiter(limiter, Scheduler.on(scheduler), System::nanoTime, completions);
    }

    private RateLimiter observed(RateLimiter limiter, CompletionExecutor own) {
        RateLimiter listening =
                listeners.isEmpty() ? limiter : new ListeningRateLimiter(limiter, listeners, System::nanoTime);
        RateLimiter outermost = reportOnly ? new ReportOnlyRateLimiter(listening, System::nanoTime) : listening;
        if (!around.isEmpty()) {
            outermost = new CallbackRateLimiter(outermost);
        }
        for (UnaryOperator<RateLimiter> layer : around) {
            outermost = layer.apply(outermost);
        }
        return completions == null ? outermost : new CompletingRateLimiter(outermost, own.behind(completions));
    }

    /** Makes a decision in memory, so that the first call of the first outage does not wait for class loading. */
    private static RateLimiter ready(RateLimiter local) {
        local.peek(Acquisition.of(Limit.of("ready", Algorithm.FIXED_WINDOW, 1, Duration.ofSeconds(1)), "nobody"));
        return local;
    }
}
