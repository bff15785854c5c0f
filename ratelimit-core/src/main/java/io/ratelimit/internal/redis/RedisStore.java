package io.ratelimit.internal.redis;

import io.lettuce.core.cluster.SlotHash;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.StoreListener;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.call.Amounts;
import io.ratelimit.internal.call.Bans;
import io.ratelimit.internal.call.BeginBan;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Forget;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.OpenCalls;
import io.ratelimit.internal.call.Settle;
import io.ratelimit.internal.call.Settlements;
import io.ratelimit.internal.call.StateId;
import io.ratelimit.redis.BreakerState;
import io.ratelimit.redis.RedisConnections;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * The store in Redis, so that all processes share one exact limit. A decision takes one round trip, whatever the number of its
 * limits, and uses Redis' own clock. Thread-safe.
 *
 * <p>A call fails with {@link io.ratelimit.StoreUnavailableException} if Redis does not answer it within the timeout, or while
 * the circuit breaker pauses a node that has stopped answering.
 */
public final class RedisStore extends Layer implements AutoCloseable {

    private static final int ONLY = 0;

    private static final long SENDING_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final RedisConnections connections;
    private final StateKeyFormat stateKeys;
    private final CommandRunner runner;
    private final Deletions deletions;
    private final Patience patience;
    private final OpenCalls open = new OpenCalls();
    private final Batchers batchers;
    private volatile boolean closed;

    /**
     * @param keyPrefix the first part of every key
     * @param timeout how long one decision may take
     * @param listeners receive the outcome of each round trip
     * @param scheduler fails calls after their timeout; it is shut down only after this was closed
     * @param callbacks runs the way back of calls that no thread waits for
     */
    public RedisStore(
            RedisConnections connections,
            String keyPrefix,
            Duration timeout,
            List<StoreListener> listeners,
            ScheduledExecutorService scheduler,
            Executor callbacks) {
        this(connections, keyPrefix, timeout, listeners, scheduler, callbacks, EngineScript.resource("clock"));
    }

    /** @param clockText replaces {@code clock.lua}, for tests that choose the time */
    RedisStore(
            RedisConnections connections,
            String keyPrefix,
            Duration timeout,
            List<StoreListener> listeners,
            ScheduledExecutorService scheduler,
            Executor callbacks,
            String clockText) {
        this.connections = connections;
        this.stateKeys = new StateKeyFormat(keyPrefix);
        this.runner = new CommandRunner(connections);
        this.deletions = new Deletions(runner, scheduler, timeout);
        this.patience = new Patience(timeout);
        this.batchers = new Batchers(
                connections,
                stateKeys,
                runner,
                clockText,
                timeout,
                patience,
                scheduler,
                callbacks,
                open,
                new Listeners<>(listeners));
    }

    @Override
    public void call(Call call) {
        if (closed) {
            fail(call, StoreFailures.closed());
        } else if (call instanceof Decide decide) {
            submit(PendingCall.deciding(decide, deadline(call), this));
        } else if (call instanceof Settle settle) {
            settle(settle);
        } else if (call instanceof Forget forget) {
            forget(forget);
        } else if (call instanceof BeginBan ban) {
            List<Charge> charge = List.of(Bans.charge(ban.limit(), ban.subject()));
            submit(PendingCall.banning(call, Operation.BAN, charge, deadline(call), this));
        } else if (call instanceof Block block) {
            submit(PendingBlock.of(block, deadline(call), this));
        }
    }

    /**
     * Settles a decision of the store. Does not call Redis if the call cost what it was charged and no ban counts it. Failures
     * count once for each limit and subject; they may be sent in the same batch as the settlement.
     */
    private void settle(Settle call) {
        Decision settled = call.settled();
        List<Charge> charged = Amounts.times(call.acquisition().charges(), settled.taken());
        long[] each = Settlements.ofEach(charged, call.actual());
        boolean changes = Settlements.changesAny(charged, each);
        boolean isFailure = Settlements.isFailure(charged, each);
        if (settled.source() != Decision.Source.STORE || !(changes || isFailure)) {
            done(call);
            return;
        }
        call.expect(changes && isFailure ? 2 : 1);
        if (changes) {
            submit(PendingSettlement.of(call, charged, each, settled, open, deadline(call), this));
        }
        if (isFailure) {
            List<Charge> failed = IntStream.range(0, each.length)
                    .filter(i -> Bans.countsFailure(charged.get(i).limit(), each[i]))
                    .mapToObj(call.acquisition().charges()::get)
                    .toList();
            submit(PendingCall.banning(call, Operation.FAIL, failed, deadline(call), this));
        }
    }

    /** Deletes the key of a ban in any case: the limit may have had one until a moment ago. Blocks that wait for Redis are forgotten. */
    private void forget(Forget call) {
        if (!call.isOfBansOnly()) {
            Charge charge = Bans.anyCharge(call.limit(), call.subject());
            of(charge).dropBlocks(StateId.of(charge));
        }
        String key = stateKeys.key(call.limit(), call.subject());
        String ban = StateKeyFormat.banKey(key);
        deletions.run(call, this, call.isOfBansOnly() ? new String[] {ban} : new String[] {key, ban});
    }

    private void submit(PendingCall call) {
        of(call.charges.get(0)).submit(call);
    }

    private long deadline(Call call) {
        return call.deadlineNanos(patience.now().toNanos());
    }

    private Batcher of(Charge charge) {
        return batchers.of(slot(charge));
    }

    int slot(Charge charge) {
        return connections.isCluster() ? SlotHash.getSlot(stateKeys.key(charge)) : ONLY;
    }

    /** Returns how long a call may take now: the timeout, or longer in a process that has just begun. */
    public Duration patience() {
        return patience.now();
    }

    /** Returns the breakers of the nodes that serve the slots in use now, by the nodes' ids, which a Cluster gives them. */
    public Map<String, BreakerState> breakers() {
        return batchers.breakers();
    }

    /**
     * Fails further calls and waits for outstanding ones, for as long as a call may take at most. The connection stays open. What
     * Redis charges after that is not refunded. May be called again.
     */
    @Override
    public void close() {
        closed = true;
        awaitOutstanding(System.nanoTime() + patience.now().toNanos());
        batchers.close();
        runner.close();
    }

    /** Waits for those, too, that were being sent or on their way here when others had ended: Redis charges them. */
    private void awaitOutstanding(long endNanos) {
        List<CompletableFuture<?>> calls = outstanding();
        while (endNanos - System.nanoTime() > 0 && (!calls.isEmpty() || batchers.areSending())) {
            CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                    .handle((done, failure) -> true)
                    .completeOnTimeout(false, endNanos - System.nanoTime(), TimeUnit.NANOSECONDS)
                    .join();
            LockSupport.parkNanos(SENDING_NANOS);
            calls = outstanding();
        }
    }

    private List<CompletableFuture<?>> outstanding() {
        List<CompletableFuture<?>> outstanding = batchers.outstanding();
        outstanding.addAll(deletions.outstanding());
        return outstanding;
    }
}
