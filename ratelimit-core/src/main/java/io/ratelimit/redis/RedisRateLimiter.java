package io.ratelimit.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.CompletingRateLimiter;
import io.ratelimit.internal.CompletionExecutor;
import io.ratelimit.internal.Deadline;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.Settlements;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts in Redis, so that all processes share one exact limit. A decision takes one round trip, whatever the number of
 * its limits, and uses Redis' own clock. Thread-safe.
 *
 * <pre>{@code
 * RateLimiter limiter = RedisRateLimiter.builder(RedisConnections.of(client.connect())).build();
 * }</pre>
 *
 * <p>On a Cluster, all limits of one subject take one round trip. An acquisition of several subjects takes one for each
 * slot, and what was taken is given back if a later slot refuses.
 *
 * <p>A call fails with {@link io.ratelimit.StoreUnavailableException} if Redis does not answer it within the timeout,
 * or while the circuit breaker pauses a node that has stopped answering. {@link io.ratelimit.stack.RateLimiterStack}
 * adds the layers that decide such calls.
 */
public final class RedisRateLimiter implements RateLimiter, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RedisRateLimiter.class);

    private final RateLimiter limiter;
    private final SingleSlotRateLimiter singleSlot;
    private final Batchers batchers;
    private final CommandRunner runner;
    private final Duration timeout;
    private final Runnable closeScheduler;
    private final CompletionExecutor ownCompletions;
    private final Settlements settlements = new Settlements();

    RedisRateLimiter(RedisRateLimiterBuilder builder) {
        ScheduledExecutorService scheduler = builder.scheduler == null ? Scheduler.newThread() : builder.scheduler;
        closeScheduler = builder.scheduler == null ? scheduler::shutdownNow : () -> {};
        ownCompletions = new CompletionExecutor(scheduler);
        Executor chosen = builder.completions;
        Executor completions = chosen instanceof CompletionExecutor ofStack ? ofStack : ownCompletions;
        timeout = builder.timeout;
        StateKeyFormat stateKeys = new StateKeyFormat(builder.keyPrefix);
        runner = new CommandRunner(builder.connections);
        batchers = new Batchers(
                builder.connections,
                runner,
                stateKeys,
                builder.clockText,
                timeout,
                scheduler,
                completions,
                new Listeners<>(builder.listeners));
        singleSlot = new SingleSlotRateLimiter(batchers::of, stateKeys, runner, timeout, scheduler, completions);
        RateLimiter store = builder.connections.isCluster()
                ? new MultiSlotRateLimiter(singleSlot, batchers::slot, new Deadline(timeout, scheduler, completions))
                : singleSlot;
        limiter = chosen == null || chosen == completions
                ? store
                : new CompletingRateLimiter(store, ownCompletions.behind(chosen));
    }

    public static RedisRateLimiterBuilder builder(RedisConnections connections) {
        return new RedisRateLimiterBuilder(connections);
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
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        return settlements.begins(acquisition, decision, actual) && decision.source() == Decision.Source.STORE
                ? limiter.settleAsync(acquisition, decision, actual)
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return limiter.resetAsync(limit, subject);
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        return limiter.banAsync(limit, subject);
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        return limiter.unbanAsync(limit, subject);
    }

    /** Returns the circuit breakers of the nodes that were called, by the nodes' ids, which a Cluster gives them. */
    public Map<String, BreakerState> breakers() {
        return batchers.breakers();
    }

    /**
     * Fails further calls and waits for outstanding ones, for at most the timeout. The connection stays open. What
     * Redis charges after that is not refunded. May be called again.
     */
    @Override
    public void close() {
        singleSlot.close();
        try {
            List<CompletableFuture<?>> outstanding = new ArrayList<>(batchers.outstanding());
            outstanding.addAll(singleSlot.deletions());
            CompletableFuture.allOf(outstanding.toArray(CompletableFuture[]::new))
                    .handle((done, failure) -> true)
                    .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException unanswered) {
            LOG.debug("closed with calls in flight", unanswered);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            closeScheduler.run();
            batchers.close();
            runner.close();
            ownCompletions.close();
        }
    }
}
