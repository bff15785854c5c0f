package io.ratelimit.redis;

import io.ratelimit.Algorithm;
import io.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries asks to Redis, one batch at a time. An ask that finds nothing under way leaves at once and alone; those that
 * come while a batch is under way leave together when it is back. No ask waits for company. Thread-safe.
 *
 * <p>Whoever is not answered in time is told so by a sweep that runs only while anything is outstanding; an ask that
 * was told so and has not left yet never leaves.
 */
final class Conveyor {

    private static final int MOST_ASKS = 512;

    private final StateKeys stateKeys;
    private final ScriptRunner runner;
    private final Function<Set<Algorithm>, EngineScript> scripts;
    private final Duration timeout;
    private final ScheduledExecutorService sweeper;
    private final StoreClock storeClock = new StoreClock();
    private final Queue<Ask> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean underWay = new AtomicBoolean();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private volatile @Nullable Journey journey;

    private record Journey(Batch batch, CompletableFuture<byte[]> reply) {}

    Conveyor(
            StateKeys stateKeys,
            ScriptRunner runner,
            Function<Set<Algorithm>, EngineScript> scripts,
            Duration timeout,
            ScheduledExecutorService sweeper) {
        this.stateKeys = stateKeys;
        this.runner = runner;
        this.scripts = scripts;
        this.timeout = timeout;
        this.sweeper = sweeper;
    }

    void carry(Ask ask) {
        waiting.add(ask);
        sweepLater();
        leaveIfFree();
    }

    /** A loop, not a recursion: while Redis is away every batch fails before {@link #leave} is through. */
    private void leaveIfFree() {
        while (!waiting.isEmpty() && underWay.compareAndSet(false, true)) {
            List<Ask> asks = gather();
            if (asks.isEmpty()) {
                underWay.set(false);
            } else {
                leave(asks);
            }
        }
    }

    private List<Ask> gather() {
        List<Ask> asks = new ArrayList<>();
        while (asks.size() < MOST_ASKS) {
            Ask ask = waiting.poll();
            if (ask == null) {
                break;
            }
            if (!ask.isAbandoned()) {
                asks.add(ask);
            }
        }
        return asks;
    }

    private void leave(List<Ask> asks) {
        Batch batch = new Batch(asks);
        waiting.addAll(batch.leftOut);
        CompletableFuture<byte[]> reply = runner.run(
                scripts.apply(batch.algorithms()),
                batch.keys(stateKeys),
                Request.of(batch, storeClock.microsAt(asks.get(0).deadlineNanos)));
        journey = new Journey(batch, reply);
        // the sweep that carry() ordered may have come before there was a journey to see, and be the last
        sweepLater();
        if (reply.isDone()) {
            reply.whenComplete((bytes, failure) -> arrive(batch, bytes, failure).run());
        } else {
            reply.whenComplete((bytes, failure) -> {
                Runnable answers = arrive(batch, bytes, failure);
                leaveIfFree(); // before the answers: waking callers takes longer than Redis does
                answers.run();
            });
        }
    }

    /** Frees the way, and says what is left to do. */
    private Runnable arrive(Batch batch, byte @Nullable [] bytes, @Nullable Throwable failure) {
        journey = null;
        if (bytes == null) {
            underWay.set(false);
            return () -> fail(batch, failure == null ? new IllegalStateException("empty reply") : failure);
        }
        Reply reply = new Reply(bytes);
        storeClock.saw(reply.clockMicros());
        if (reply.tooLate()) {
            waiting.addAll(batch.asks);
        }
        underWay.set(false);
        return reply.tooLate() ? () -> {} : () -> reply.answer(batch);
    }

    private void fail(Batch batch, Throwable failure) {
        StoreUnavailableException unavailable = failure instanceof StoreUnavailableException known
                ? known
                : failure instanceof CancellationException ? notInTime() : failed(failure);
        batch.asks.forEach(ask -> ask.completeExceptionally(unavailable));
    }

    private void sweepLater() {
        if (sweeping.compareAndSet(false, true)) {
            sweeper.schedule(this::sweep, sweepMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void sweep() {
        long nowNanos = System.nanoTime();
        waiting.forEach(ask -> giveUpIfOverdue(ask, nowNanos));
        Journey travelling = journey;
        if (travelling != null) {
            travelling.batch.asks.forEach(ask -> giveUpIfOverdue(ask, nowNanos));
            if (travelling.batch.asks.stream().allMatch(Ask::isAbandoned)) {
                travelling.reply.cancel(true);
            }
        }
        waiting.removeIf(Ask::isAbandoned);
        sweeping.set(false);
        if (journey != null || !waiting.isEmpty()) {
            sweepLater();
        }
    }

    private void giveUpIfOverdue(Ask ask, long nowNanos) {
        if (ask.isOverdue(nowNanos)) {
            ask.completeExceptionally(notInTime());
        }
    }

    private StoreUnavailableException notInTime() {
        return new StoreUnavailableException("Redis did not answer within %d ms".formatted(timeout.toMillis()));
    }

    private static StoreUnavailableException failed(Throwable failure) {
        return new StoreUnavailableException("Redis failed: %s".formatted(failure), failure);
    }

    private long sweepMillis() {
        return Math.max(1, Math.min(10, timeout.toMillis() / 10));
    }
}
