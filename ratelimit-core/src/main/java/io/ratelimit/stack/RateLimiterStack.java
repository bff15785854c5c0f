package io.ratelimit.stack;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Settlements;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.redis.RedisRateLimiter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The limiter that applications use: a store and the layers around it. The Spring Boot starter, the benchmarks and the
 * fault tests all build it here. Thread-safe.
 *
 * <pre>
 *   acquire
 *      │
 *   completion         if an executor was chosen: completes the stages of callers there
 *   around             if there are any: layers of the application's own, such as tracing
 *   report only        if enabled: decides and logs, but refuses nothing
 *   listeners          if there are any: passes every decision to them
 *   waiting            lets calls with a maxWait wait for quota
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
 * <p>In memory, the layers from waiting outwards surround the store, because it cannot fail or be slow. With report only
 * no call waits.
 */
public final class RateLimiterStack implements RateLimiter, AutoCloseable {

    private final RateLimiter outermost;
    private final boolean shared;
    private final Supplier<StackState> state;
    private final List<Runnable> closeActions;
    private final Settlements settlements = new Settlements();

    RateLimiterStack(RateLimiter outermost, boolean shared, Supplier<StackState> state, List<Runnable> closeActions) {
        this.outermost = outermost;
        this.shared = shared;
        this.state = state;
        this.closeActions = closeActions;
    }

    /** Starts a stack that counts in Redis, shared by every process that uses the same Redis and key prefix. */
    public static RateLimiterStackBuilder onRedis(RedisConnections connections) {
        return new RateLimiterStackBuilder(RedisRateLimiter.builder(connections));
    }

    /** Starts a stack that counts in this process's memory. Settings for Redis have no effect on it. */
    public static RateLimiterStackBuilder inMemory() {
        return new RateLimiterStackBuilder(null);
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

    /**
     * Decides calls that wait for quota, gives back what leases hold and ends the threads of the layers. The connection to
     * Redis stays open.
     */
    @Override
    public void close() {
        closeActions.forEach(Runnable::run);
    }
}
