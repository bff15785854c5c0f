package io.ratelimit.stack;

import io.ratelimit.internal.call.CallingRateLimiter;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.redis.RedisConnections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The limiter that applications use: a store and the layers around it. The Spring Boot starter, the benchmarks and the
 * fault tests all build it here. Thread-safe.
 *
 * <pre>
 *   acquire
 *      │
 *   numbers            if they may change: gives each call those in force, or provided for its subject
 *   report only        if enabled: decides and logs, but refuses nothing
 *   listeners          if there are any: passes every decision to them
 *   waiting            lets calls with a maxWait wait for quota, and decides limits apart that only report
 *   refusals           repeats a refusal until its retryAfter, for a second at most
 *   failure policy     decides local, open or closed while the store fails
 *   leases             serves limits with a lease from quota taken in advance
 *   shards             spreads limits with shards over several keys
 *   slots              on a Cluster: decides several subjects, all or nothing
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
 * <p>In memory, the layers from waiting outwards surround the store, because it cannot fail or be slow. With report only
 * no call waits.
 */
public final class RateLimiterStack extends CallingRateLimiter implements AutoCloseable {

    private final boolean shared;
    private final Supplier<StackState> state;
    private final Supplier<Optional<String>> outage;
    private final List<Runnable> closeActions;

    RateLimiterStack(
            Layer first,
            Executor callbacks,
            boolean shared,
            Supplier<StackState> state,
            Supplier<Optional<String>> outage,
            List<Runnable> closeActions) {
        super(first, callbacks);
        this.shared = shared;
        this.state = state;
        this.outage = outage;
        this.closeActions = closeActions;
    }

    /** Starts a stack that counts in Redis, shared by every process that uses the same Redis and key prefix. */
    public static RateLimiterStackBuilder onRedis(RedisConnections connections) {
        return new RateLimiterStackBuilder(connections);
    }

    /** Starts a stack that counts in this process's memory. Settings for Redis have no effect on it. */
    public static RateLimiterStackBuilder inMemory() {
        return new RateLimiterStackBuilder(null);
    }

    /** Creates a stack that admits everything and counts nothing, as if {@link io.ratelimit.FailurePolicy#OPEN} decided. */
    public static RateLimiterStack admittingAll() {
        return new RateLimiterStack(
                new AdmittingStore(),
                Runnable::run,
                false,
                () -> new StackState(Map.of(), 0, 0, 0, 0),
                Optional::empty,
                List.of());
    }

    /** Returns whether other processes share the counts: true on Redis, false in memory. */
    public boolean isShared() {
        return shared;
    }

    /** Returns what the stack holds now. */
    public StackState state() {
        return state.get();
    }

    /**
     * Returns why Redis does not decide: the failure of a small charge of the stack's own, or else of the last call, until Redis
     * has charged calls for a second. Empty if Redis decides, and in memory. Waits for Redis as long as a decision does.
     */
    public Optional<String> outage() {
        return outage.get();
    }

    /**
     * Decides calls that wait for quota, gives back what leases hold, waits for the decisions that are under way, for as long as
     * they may take at most, and ends the threads of the layers. Later calls are decided as in an outage, and later ends of calls fail. The connection
     * to Redis stays open.
     */
    @Override
    public void close() {
        closeActions.forEach(Runnable::run);
    }
}
