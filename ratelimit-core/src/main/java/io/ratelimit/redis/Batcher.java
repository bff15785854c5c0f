package io.ratelimit.redis;

import io.ratelimit.Algorithm;
import io.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries asks to Redis. An ask that finds nothing under way leaves at once and alone; those that come while a batch is
 * under way leave together when it is back, or when they make a full one. No ask waits for company. Thread-safe.
 *
 * <p>Whoever is not answered in time is told so by a {@link OverdueChecker} that looks only while anything is outstanding; an
 * ask that was told so and has not left yet never leaves. A batch of which nobody waits any more no longer keeps the
 * way. What Redis charged all the same goes back if it says so within ten timeouts more.
 */
final class Batcher {

    /** Enough that Redis always has one to decide. The rest waits here, where those that are overdue never leave. */
    private static final int MOST_UNDER_WAY = 4;

    private final StateKeyFormat stateKeys;
    private final ScriptRunner runner;
    private final Function<Set<Algorithm>, EngineScript> scripts;
    private final Duration timeout;
    private final OverdueChecker watch;
    private final StoreClock storeClock = new StoreClock();
    private final CallQueue waiting = new CallQueue();
    private final AtomicInteger underWay = new AtomicInteger();
    private final Set<InFlightBatch> journeys = ConcurrentHashMap.newKeySet();

    Batcher(
            StateKeyFormat stateKeys,
            ScriptRunner runner,
            Function<Set<Algorithm>, EngineScript> scripts,
            Duration timeout,
            ScheduledExecutorService watcher) {
        this.stateKeys = stateKeys;
        this.runner = runner;
        this.scripts = scripts;
        this.timeout = timeout;
        this.watch = new OverdueChecker(watcher, timeout, this::giveUpOverdue, this::giveUpAll);
    }

    void carry(PendingCall ask) {
        waiting.add(ask);
        watch.later();
        leaveIfFree();
    }

    /** A loop, not a recursion: while Redis is away every batch fails before {@link #leave} is through. */
    private void leaveIfFree() {
        while (!waiting.isEmpty() && setOut()) {
            List<PendingCall> asks = waiting.next();
            long nowNanos = System.nanoTime();
            tellNotInTime(PendingCall.overdue(asks, nowNanos));
            asks.removeIf(ask -> ask.isOverdue(nowNanos));
            if (asks.isEmpty()) {
                underWay.decrementAndGet();
            } else {
                leave(asks);
            }
        }
    }

    /** Says whether a batch may leave now, and counts it as under way. */
    private boolean setOut() {
        int before = underWay.get();
        while (before == 0 || (before < MOST_UNDER_WAY && waiting.areFullBatch())) {
            if (underWay.compareAndSet(before, before + 1)) {
                return true;
            }
            before = underWay.get();
        }
        return false;
    }

    private void leave(List<PendingCall> asks) {
        Batch batch = new Batch(asks);
        waiting.learnFrom(batch);
        waiting.addAll(batch.leftOut);
        CompletableFuture<byte[]> reply = sent(batch);
        InFlightBatch begun = new InFlightBatch(batch, reply);
        journeys.add(begun);
        // the look that carry() ordered may have come before there was a journey to see, and be the last
        watch.later();
        Runnable next = reply.isDone() ? () -> {} : this::leaveIfFree;
        reply.whenComplete((bytes, failure) -> land(begun, bytes, failure, next));
    }

    /** Whatever goes wrong is the failure of this batch alone: the way must not stay closed behind it. */
    private CompletableFuture<byte[]> sent(Batch batch) {
        try {
            byte[] request = EngineRequest.of(batch, storeClock.microsAt(batch.earliestDeadlineNanos()));
            return runner.run(scripts.apply(batch.algorithms()), batch.keys(stateKeys), request);
        } catch (RuntimeException | Error broken) {
            return CompletableFuture.failedFuture(broken);
        }
    }

    /** Frees the way, unless it was given up: then only what was charged all the same is left to see to. */
    private void land(InFlightBatch landed, byte @Nullable [] bytes, @Nullable Throwable failure, Runnable next) {
        if (journeys.remove(landed)) {
            Runnable answers = arrive(landed.batch(), bytes, failure);
            underWay.decrementAndGet();
            try {
                next.run(); // before the answers: waking callers takes longer than Redis does
            } finally {
                answers.run();
            }
        } else if (bytes != null) {
            arrive(landed.batch(), bytes, failure).run();
        }
    }

    /** Says what is left to do. */
    private Runnable arrive(Batch batch, byte @Nullable [] bytes, @Nullable Throwable failure) {
        if (bytes == null) {
            return () -> fail(batch, failure == null ? new IllegalStateException("empty reply") : failure);
        }
        try {
            EngineReply reply = new EngineReply(bytes);
            storeClock.saw(reply.clockMicros());
            if (reply.tooLate()) {
                waiting.addAll(batch.asks);
                return () -> {};
            }
            return () -> answer(batch, reply);
        } catch (RuntimeException unreadable) {
            return () -> fail(batch, unreadable);
        }
    }

    /** What was charged for a caller who had been told by then that it failed is given back. */
    private void answer(Batch batch, EngineReply reply) {
        try {
            reply.answer(batch).forEach(late -> carry(late.refund(reply.clockMicros(), timeout)));
        } catch (RuntimeException unreadable) {
            fail(batch, unreadable);
        }
    }

    private void fail(Batch batch, Throwable failure) {
        StoreUnavailableException unavailable = Failures.of(failure);
        batch.asks.forEach(ask -> ask.completeExceptionally(unavailable));
    }

    /** Says whether anything is outstanding still. */
    private boolean giveUpOverdue() {
        long nowNanos = System.nanoTime();
        List<PendingCall> overdue = waiting.overdue(nowNanos);
        for (InFlightBatch journey : List.copyOf(journeys)) {
            overdue.addAll(PendingCall.overdue(journey.batch().asks, nowNanos));
            if (!journey.isAwaited(nowNanos) && journeys.remove(journey)) {
                journey.giveUp(timeout);
                underWay.decrementAndGet();
                Failures.elsewhere(this::leaveIfFree);
            }
        }
        tellNotInTime(overdue);
        return !journeys.isEmpty() || !waiting.isEmpty();
    }

    private void tellNotInTime(List<PendingCall> overdue) {
        if (!overdue.isEmpty()) {
            Failures.tell(overdue, Failures.notInTime(timeout));
        }
    }

    /** Nobody is left to tell in time, so all are told now; who comes later is told at once. */
    private void giveUpAll() {
        List<PendingCall> all = new ArrayList<>();
        journeys.forEach(journey -> all.addAll(journey.batch().asks));
        for (PendingCall ask = waiting.poll(); ask != null; ask = waiting.poll()) {
            all.add(ask);
        }
        Failures.tell(all, Failures.closed());
    }
}
