package io.ratelimit.stack;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.DecisionListener;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreListener;
import io.ratelimit.internal.CompletionExecutor;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.layer.Listening;
import io.ratelimit.internal.layer.Observing;
import io.ratelimit.internal.layer.OnStoreFailure;
import io.ratelimit.internal.layer.OutageLog;
import io.ratelimit.internal.layer.RememberedRefusals;
import io.ratelimit.internal.layer.ReportOnly;
import io.ratelimit.internal.lease.Leases;
import io.ratelimit.internal.numbers.CoarseClock;
import io.ratelimit.internal.numbers.LiveNumbers;
import io.ratelimit.internal.numbers.ProvidedLimits;
import io.ratelimit.internal.redis.RedisStore;
import io.ratelimit.internal.redis.Slots;
import io.ratelimit.internal.shard.Shards;
import io.ratelimit.internal.waiting.ScarceThreads;
import io.ratelimit.internal.waiting.Waiting;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.redis.RedisConnections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link RateLimiterStack}, from {@link RateLimiterStack#onRedis} or {@link RateLimiterStack#inMemory}. Not
 * thread-safe.
 */
public final class RateLimiterStackBuilder {

    private final @Nullable RedisConnections connections;
    private final List<DecisionListener> listeners = new ArrayList<>();
    private final List<StoreListener> storeListeners = new ArrayList<>();
    private String keyPrefix = "rate_limit";
    private Duration timeout = Duration.ofMillis(100);
    private FailurePolicy onStoreFailure = FailurePolicy.LOCAL;
    private boolean reportOnly;
    private @Nullable Supplier<UnaryOperator<Limit>> numbers;
    private ScarceThreads scarce = ScarceThreads.NONE;
    private @Nullable LimitProvider provider;
    private @Nullable InMemoryRateLimiter memory;

    RateLimiterStackBuilder(@Nullable RedisConnections connections) {
        this.connections = connections;
    }

    /**
     * Sets the first part of every key, {@code rate_limit} by default.
     *
     * @throws IllegalArgumentException from {@link #build} if it is blank or contains a brace
     */
    public RateLimiterStackBuilder keyPrefix(String keyPrefix) {
        this.keyPrefix = keyPrefix;
        return this;
    }

    /**
     * Sets how long one decision may wait for Redis, 100 ms by default.
     *
     * @throws IllegalArgumentException if it is below 1 ms or above a day
     */
    public RateLimiterStackBuilder timeout(Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(
                    "timeout '%s' must be at least 1ms and at most a day".formatted(Micros.text(timeout)));
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

    /**
     * Bounds how many threads wait for quota of those that {@code isScarce} answers true on, such as the threads of a web
     * server; any number by default. A call that would be one more is decided at once, as without a {@code maxWait}.
     *
     * @param isScarce called on the thread of a call that may wait
     * @throws IllegalArgumentException if {@code most} is negative
     */
    public RateLimiterStackBuilder waitingThreads(int most, BooleanSupplier isScarce) {
        if (most < 0) {
            throw new IllegalArgumentException("most '%d' must be at least 0".formatted(most));
        }
        this.scarce = new ScarceThreads(most, isScarce);
        return this;
    }

    /** Adds a listener. Listeners are called in the order in which they were added. */
    public RateLimiterStackBuilder listener(DecisionListener listener) {
        listeners.add(listener);
        return this;
    }

    /** Adds a listener to the round trips to Redis. */
    public RateLimiterStackBuilder storeListener(StoreListener listener) {
        storeListeners.add(listener);
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

    /**
     * Sets what gives limits other numbers while the application runs. It is asked once for each call, and what it returns
     * gives the numbers of all the call's limits, so that a change holds for the whole of a call or for nothing of it. What
     * is counted stays, and a decision is settled by the numbers that made it.
     *
     * <p>The cost of a call is checked against both: what its limit allows without this, and the numbers that it gets.
     *
     * @param inForce returns the limit itself, or one of the same name, algorithm and window; both must be fast and
     *     thread-safe
     */
    public RateLimiterStackBuilder numbers(Supplier<UnaryOperator<Limit>> inForce) {
        this.numbers = inForce;
        return this;
    }

    /** Sets what gives limits other numbers for some subjects; what {@link #numbers} changes is not asked for. */
    public RateLimiterStackBuilder provider(LimitProvider provider) {
        this.provider = provider;
        return this;
    }

    /** Builds from the store outwards. Nothing connects or blocks here. */
    public RateLimiterStack build() {
        InMemoryRateLimiter local = memory == null ? InMemoryRateLimiter.create() : memory;
        return connections == null ? inMemory(local) : onRedis(connections, local);
    }

    private RateLimiterStack inMemory(InMemoryRateLimiter memory) {
        ScheduledExecutorService scheduler = Scheduler.newThread(); // its thread starts when a call waits
        CompletionExecutor callbacks = new CompletionExecutor(scheduler);
        Waiting waiting = new Waiting(new MemoryStore(memory), Scheduler.on(scheduler), System::nanoTime, scarce);
        ProvidedLimits provided = provided(scheduler);
        Duration patience = timeout;
        return new RateLimiterStack(
                numbered(observed(waiting), provided, scheduler, () -> patience),
                callbacks,
                false,
                () -> new StackState(Map.of(), memory.subjects(), 0, 0, waiting.waiting()),
                Optional::empty,
                List.of(closing(provided), waiting::close, scheduler::shutdownNow, callbacks::close));
    }

    private RateLimiterStack onRedis(RedisConnections connections, InMemoryRateLimiter local) {
        ScheduledExecutorService scheduler = Scheduler.newThread();
        CompletionExecutor callbacks = new CompletionExecutor(scheduler);
        RedisStore redis = new RedisStore(connections, keyPrefix, timeout, storeListeners, scheduler, callbacks);
        Layer store = connections.isCluster() ? new Slots(redis, callbacks) : redis;
        Leases leases = new Leases(new Shards(store), redis::patience, Scheduler.on(scheduler), callbacks);
        OutageLog outage = new OutageLog(System::nanoTime);
        OnStoreFailure decided = new OnStoreFailure(leases, ready(local), onStoreFailure, outage);
        RememberedRefusals refusals = new RememberedRefusals(decided);
        Waiting waiting = new Waiting(refusals, Scheduler.on(scheduler), System::nanoTime, scarce);
        ProvidedLimits provided = provided(scheduler);
        return new RateLimiterStack(
                numbered(observed(waiting), provided, scheduler, redis::patience),
                callbacks,
                true,
                () -> new StackState(
                        redis.breakers(), local.subjects(), leases.leases(), refusals.remembered(), waiting.waiting()),
                () -> decided.probe(callbacks).join(),
                List.of(
                        closing(provided),
                        waiting::close,
                        outage::close,
                        () -> decided.close(redis.patience()),
                        leases::close,
                        redis::close,
                        scheduler::shutdownNow,
                        redis::close, // fails a call that came meanwhile, whose timeout was dropped
                        callbacks::close));
    }

    private Layer observed(Layer limiter) {
        Layer listening = listeners.isEmpty() ? limiter : new Listening(limiter, listeners, System::nanoTime);
        Layer reporting = reportOnly ? new ReportOnly(listening, System::nanoTime) : listening;
        return listeners.isEmpty() ? reporting : new Observing(reporting, listeners);
    }

    private @Nullable ProvidedLimits provided(ScheduledExecutorService scheduler) {
        if (provider == null) {
            return null;
        }
        Scheduler timer = Scheduler.on(scheduler);
        return new ProvidedLimits(provider, listeners, timer, new CoarseClock(System::nanoTime, timer));
    }

    private Layer numbered(
            Layer observed,
            @Nullable ProvidedLimits provided,
            ScheduledExecutorService scheduler,
            Supplier<Duration> patience) {
        return numbers == null && provided == null
                ? observed
                : new LiveNumbers(
                        observed,
                        numbers == null ? UnaryOperator::identity : numbers,
                        provided,
                        Scheduler.on(scheduler),
                        timeout,
                        patience);
    }

    private static Runnable closing(@Nullable ProvidedLimits provided) {
        return provided == null ? () -> {} : provided::close;
    }

    /** Makes a decision in memory, so that the first call of the first outage does not wait for class loading. */
    private static RateLimiter ready(RateLimiter local) {
        local.peek(Acquisition.of(Limit.of("ready", Algorithm.FIXED_WINDOW, 1, Duration.ofSeconds(1)), "nobody"));
        return local;
    }
}
