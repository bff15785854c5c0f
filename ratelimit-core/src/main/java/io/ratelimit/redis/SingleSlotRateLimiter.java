package io.ratelimit.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Amounts;
import io.ratelimit.internal.Bans;
import io.ratelimit.internal.CallerFuture;
import io.ratelimit.internal.Settlements;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Decides acquisitions with one script call: any acquisition on a single Redis, one slot's on a Cluster. Thread-safe.
 */
final class SingleSlotRateLimiter implements RateLimiter {

    private final Function<Charge, Batcher> batcherOf;
    private final StateKeyFormat stateKeys;
    private final CommandRunner runner;
    private final Duration timeout;
    private final long timeoutNanos;
    private final ScheduledExecutorService scheduler;
    private final Executor completions;
    private final Set<CompletableFuture<Long>> deletions = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    SingleSlotRateLimiter(
            Function<Charge, Batcher> batcherOf,
            StateKeyFormat stateKeys,
            CommandRunner runner,
            Duration timeout,
            ScheduledExecutorService scheduler,
            Executor completions) {
        this.batcherOf = batcherOf;
        this.stateKeys = stateKeys;
        this.runner = runner;
        this.timeout = timeout;
        this.timeoutNanos = timeout.toNanos();
        this.scheduler = scheduler;
        this.completions = completions;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        boolean mayWait = !acquisition.maxWait().isZero();
        return submit(mayWait ? PendingCall.Operation.TRY : PendingCall.Operation.ACQUIRE, acquisition);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return submit(PendingCall.Operation.PEEK, acquisition);
    }

    /**
     * Settles a decision of the store. Does not call Redis if the call cost what it was charged and no ban counts it.
     */
    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        List<Charge> charges = Amounts.times(acquisition.charges(), decision.taken());
        long[] each = Settlements.ofEach(charges, actual);
        CompletionStage<Void> settled = Settlements.changesAny(charges, each)
                ? correct(charges, each, decision)
                : CompletableFuture.completedFuture(null);
        return Settlements.isFailure(charges, each) ? failed(acquisition.charges(), each, settled) : settled;
    }

    /** Counts failures, once for each limit and subject. They may be sent in the same batch as the settlement. */
    private CompletionStage<Void> failed(List<Charge> charges, long[] actual, CompletionStage<Void> settled) {
        List<Charge> failed = IntStream.range(0, actual.length)
                .filter(i -> Bans.countsFailure(charges.get(i).limit(), actual[i]))
                .mapToObj(charges::get)
                .toList();
        PendingCall call = new PendingCall(PendingCall.Operation.FAIL, failed, 1, deadline(), completions);
        return CompletableFuture.allOf(settled.toCompletableFuture(), submit(call));
    }

    /** Gives back a part of what the decision took, so that {@code times} of it stay charged. */
    CompletionStage<Void> keep(int times, Acquisition acquisition, Decision decision) {
        long[] kept = acquisition.charges().stream()
                .mapToLong(charge -> charge.cost() * times)
                .toArray();
        return correct(Amounts.times(acquisition.charges(), decision.taken()), kept, decision);
    }

    private CompletionStage<Void> correct(List<Charge> charged, long[] actual, Decision decision) {
        return submit(PendingCall.settling(charged, actual, decision, deadline(), completions))
                .thenAccept(done -> {});
    }

    /** Deletes the key of a ban in any case: the limit may have had one until a moment ago. */
    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        String key = stateKeys.key(limit, subject);
        return delete(key, StateKeyFormat.banKey(key));
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        List<Charge> charge = List.of(Bans.charge(limit, subject));
        return submit(new PendingCall(PendingCall.Operation.BAN, charge, 1, deadline(), completions))
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        Bans.check(limit);
        return delete(StateKeyFormat.banKey(stateKeys.key(limit, subject)));
    }

    @SuppressWarnings("CollectionUndefinedEquality") // identity is what is meant
    private CompletionStage<Void> delete(String... keys) {
        CompletableFuture<Long> reply = new CompletableFuture<>();
        deletions.add(reply);
        if (closed) {
            deletions.remove(reply);
            return CompletableFuture.failedFuture(StoreFailures.closed());
        }
        Future<?> timer = scheduler.schedule(
                () -> reply.completeExceptionally(StoreFailures.notInTime(timeout)),
                timeoutNanos,
                TimeUnit.NANOSECONDS);
        CallerFuture<Long> done = new CallerFuture<>(completions);
        reply.whenComplete((deleted, failure) -> {
            timer.cancel(false);
            deletions.remove(reply);
            if (failure == null) {
                done.complete(deleted);
            } else {
                done.completeExceptionally(StoreFailures.of(failure));
            }
        });
        runner.delete(reply, keys);
        return done.thenAccept(deleted -> {});
    }

    /** Fails all further calls. */
    void close() {
        closed = true;
    }

    /** Returns the deletions that Redis has not answered. */
    Collection<CompletableFuture<Long>> deletions() {
        return List.copyOf(deletions);
    }

    private CompletableFuture<Decision> submit(PendingCall.Operation operation, Acquisition acquisition) {
        return submit(new PendingCall(operation, acquisition.charges(), acquisition.times(), deadline(), completions));
    }

    private CompletableFuture<Decision> submit(PendingCall call) {
        if (closed) {
            return CompletableFuture.failedFuture(StoreFailures.closed());
        }
        batcherOf.apply(call.charges.get(0)).submit(call);
        return call;
    }

    private long deadline() {
        return System.nanoTime() + timeoutNanos;
    }
}
