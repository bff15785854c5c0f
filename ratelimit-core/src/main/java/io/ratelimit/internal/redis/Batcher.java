package io.ratelimit.internal.redis;

import io.ratelimit.StoreListener;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.call.OpenCalls;
import io.ratelimit.internal.call.StateId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls to Redis in batches. A call is sent at once, alone, unless as many batches are in flight as the round
 * trip to its node allows ({@link RoundTrips}); calls that arrive meanwhile form the next batch. Thread-safe.
 *
 * <p>Calls past their deadline fail, and are never sent if they were still waiting. A batch whose calls are all past
 * their deadline no longer counts as in flight. What Redis has charged for such callers is refunded if its reply still
 * arrives within ten timeouts; a settlement that it was too late for is made later, whenever its reply arrives.
 */
final class Batcher {

    private static final int LATE_TIMEOUTS = 10;

    /** Longer than a connection is silent before it is closed, and than a pause of the breaker. */
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long TRY_AGAIN_MILLIS = 5;

    private final Supplier<Node> node;
    private final Function<Batch, CompletableFuture<byte[]>> script;
    private final Duration timeout;
    private final ScheduledExecutorService scheduler;
    private final CallCompleter completer;
    private final Listeners<StoreListener> listeners;
    private final OverdueChecker overdueChecker;
    private final CallFailures failures;
    private final CallQueue queue = new CallQueue();
    private final AtomicInteger inFlightCount = new AtomicInteger();
    private final Set<InFlightBatch> inFlight = ConcurrentHashMap.newKeySet();

    /**
     * @param node supplies the node that decides the calls, before each batch
     * @param script runs the engine script for a batch
     * @param completions runs the callbacks of the calls
     * @param open the calls in flight
     * @param listeners receive the outcome of each batch
     */
    Batcher(
            Supplier<Node> node,
            Function<Batch, CompletableFuture<byte[]>> script,
            Node.Clock storeClock,
            Duration timeout,
            ScheduledExecutorService scheduler,
            Executor completions,
            OpenCalls open,
            Listeners<StoreListener> listeners) {
        this.node = node;
        this.script = script;
        this.timeout = timeout;
        this.overdueChecker = new OverdueChecker(scheduler, timeout, this::failOverdue, this::failAll);
        this.failures = new CallFailures(queue, scheduler, overdueChecker);
        this.completer = new CallCompleter(
                storeClock,
                Math.max(SILENT_NANOS, LATE_TIMEOUTS * timeout.toNanos()),
                completions,
                open,
                this::submit,
                failures);
        this.listeners = listeners;
        this.scheduler = scheduler;
    }

    /**
     * Queues a call and sends a batch if allowed. While its node is paused, fails the call at once, and keeps a settlement until
     * the pause is over. Redis has decided nothing of the call.
     */
    void submit(PendingCall call) {
        Node target = node.get();
        if (!call.isLate() && (call.isAnswered() || target.breaker().isPaused(System::nanoTime))) {
            failures.undecided(call, StoreFailures.paused());
            overdueChecker.scheduleCheck();
            return;
        }
        queue.add(call);
        overdueChecker.scheduleCheck();
        sendWhileAllowed(target);
    }

    private void sendWhileAllowed() {
        sendWhileAllowed(node.get());
    }

    /** Uses a loop, because a batch may fail before {@link #send} returns, and a recursion could overflow the stack. */
    private void sendWhileAllowed(Node first) {
        for (Node target = first; queue.hasNext(); target = node.get()) {
            if (!countInFlight(target.roundTrips().mostInFlight()) || !sendNext(target)) {
                return;
            }
        }
    }

    /**
     * Sends the queued calls as one batch, which the caller has already counted as in flight. Returns false if their node is
     * paused.
     */
    private boolean sendNext(Node target) {
        List<PendingCall> calls = queue.next();
        long nowNanos = System.nanoTime();
        calls.removeIf(call -> failIfOverdue(call, nowNanos));
        if (calls.isEmpty()) {
            inFlightCount.decrementAndGet();
            return true;
        }
        if (!target.breaker().permits(nowNanos)) {
            inFlightCount.decrementAndGet();
            pause(calls);
            return false;
        }
        Batch batch = new Batch(calls);
        // read before it is sent: a thread that pauses afterwards would find too short a round trip
        long sentNanos = System.nanoTime();
        send(new InFlightBatch(batch, target, sentNanos, run(batch), null));
        return true;
    }

    /** Fails calls and all that are queued. */
    private void pause(List<PendingCall> first) {
        for (List<PendingCall> calls = first; !calls.isEmpty(); calls = queue.nextCalls()) {
            for (PendingCall call : calls) {
                failures.undecided(call, StoreFailures.paused());
            }
        }
    }

    /**
     * Sends the calls that a burst left in the queue, if a reply takes longer than the interval between checks. The first
     * calls of the burst were sent one by one and took all batches that may be in flight, so the others would wait for a
     * whole round trip.
     */
    private void sendAllIfFar() {
        Node target = node.get();
        while (queue.hasNext() && target.roundTrips().areLongerThan(overdueChecker.everyNanos())) {
            inFlightCount.incrementAndGet();
            if (!sendNext(target)) {
                return;
            }
        }
    }

    /**
     * Fails a call whose deadline has passed, unless a check did so just now; returns whether the deadline has passed. Redis
     * would decide no call of a batch with such a call, and the others would be sent again.
     */
    private boolean failIfOverdue(PendingCall call, long nowNanos) {
        boolean overdue = call.isOverdue(nowNanos) || call.isGivenUp();
        if (overdue && call.isLate()) {
            call.completeExceptionally(StoreFailures.notInTime(timeout));
        } else if (overdue) {
            failures.undecided(call, StoreFailures.notInTime(timeout));
        }
        return overdue;
    }

    private boolean countInFlight(int most) {
        int before = inFlightCount.get();
        while (before < most) {
            if (inFlightCount.compareAndSet(before, before + 1)) {
                return true;
            }
            before = inFlightCount.get();
        }
        return false;
    }

    private void send(InFlightBatch sent) {
        inFlight.add(sent);
        // the check that submit() scheduled may have run before this batch was in flight, and have scheduled no other
        overdueChecker.scheduleCheck();
        Runnable next = sent.reply().isDone() ? () -> {} : this::sendWhileAllowed;
        sent.reply().whenComplete((bytes, failure) -> land(sent, bytes, failure, next));
    }

    /** Turns anything thrown into a failure of this batch, so that it does not stay in flight for ever. */
    private CompletableFuture<byte[]> run(Batch batch) {
        try {
            return script.apply(batch);
        } catch (RuntimeException | Error broken) {
            return CompletableFuture.failedFuture(broken);
        }
    }

    private void land(InFlightBatch landed, byte @Nullable [] bytes, @Nullable Throwable failure, Runnable next) {
        boolean awaited = inFlight.remove(landed);
        boolean moving = failure != null && StoreFailures.isTryAgain(failure);
        boolean again = awaited && moving && !landed.batch().isOneLate();
        if (awaited) {
            landed.ended(failure, listeners);
            if (again) {
                tryAgain(landed.batch(), Objects.requireNonNull(failure));
            } else if (moving || (failure != null && StoreFailures.isNotNow(failure))) {
                queue.pauseLate();
            }
            noLongerInFlight(landed);
            try {
                next.run(); // before completing the callers, because waking them takes longer than Redis needs
            } finally {
                if (!again) {
                    completer.complete(landed.batch(), bytes, failure);
                }
            }
        } else { // refunds what was charged for callers that gave up, and keeps their settlements that were not made
            completer.complete(landed.batch(), bytes, failure);
        }
    }

    /**
     * Repeats the calls of a batch whose slot is moving to another node, until they are overdue. Each call is sent by
     * itself, because its keys are more likely on one node than those of the whole batch. A call that was alone waits a
     * few ms first. They do not count as in flight, so that other calls are not held up that the node can decide.
     */
    private void tryAgain(Batch batch, Throwable failure) {
        long pauseMillis = batch.calls.size() == 1 ? TRY_AGAIN_MILLIS : 0;
        for (PendingCall call : batch.calls) {
            Batch alone = new Batch(List.of(call));
            CompletableFuture<byte[]> reply = new CompletableFuture<>();
            send(new InFlightBatch(alone, node.get(), System.nanoTime(), reply, failure));
            scheduler.schedule(() -> pipe(run(alone), reply), pauseMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void noLongerInFlight(InFlightBatch batch) {
        if (batch.repeated() == null) {
            inFlightCount.decrementAndGet();
        }
    }

    private static void pipe(CompletableFuture<byte[]> from, CompletableFuture<byte[]> to) {
        from.whenComplete((bytes, failure) -> {
            if (failure == null) {
                to.complete(bytes);
            } else {
                to.completeExceptionally(failure);
            }
        });
    }

    /**
     * Fails calls past their deadline and sends what is queued, if a batch may be sent. Returns whether any call is still
     * outstanding.
     */
    private boolean failOverdue() {
        long nowNanos = System.nanoTime();
        queue.overdue(nowNanos).forEach(call -> failIfOverdue(call, nowNanos));
        Map<InFlightBatch, List<PendingCall>> overdue = new LinkedHashMap<>();
        for (InFlightBatch batch : List.copyOf(inFlight)) {
            List<PendingCall> calls = PendingCall.overdue(batch.batch().calls, nowNanos);
            if (!calls.isEmpty()) { // else the failure, with its stack trace, would be made in vain
                overdue.put(batch, calls);
            }
            if (!batch.isAwaited(nowNanos, timeout) && inFlight.remove(batch)) {
                abandon(batch, nowNanos);
            }
        }
        overdue.forEach((batch, calls) -> CallCompleter.failAll(calls, batch.overdue(timeout)));
        sendWhileAllowed();
        sendAllIfFar();
        return !inFlight.isEmpty() || !queue.isEmpty();
    }

    /**
     * Waits for a late reply for ten timeouts, then cancels it: a Cluster repeats uncancelled commands on a new master. That of
     * settlements and blocks is awaited for as long as the connection lives, because it says whether they were made. Slots are
     * freed anew before: Lettuce 6 keeps for ever what it has sent to a node of a Cluster that does not come back.
     */
    private void abandon(InFlightBatch batch, long nowNanos) {
        if (batch.repeated() == null) {
            batch.unanswered(nowNanos, false, listeners);
        }
        boolean matters = batch.batch().calls.stream().anyMatch(PendingCall::mattersLater);
        scheduler.schedule(
                () -> {
                    if (!matters) {
                        batch.reply().completeExceptionally(StoreFailures.notInTime(timeout));
                    } else if (!batch.reply().isDone()) {
                        batch.batch().calls.forEach(failures::unanswered);
                    }
                },
                matters ? SILENT_NANOS : LATE_TIMEOUTS * timeout.toNanos(),
                TimeUnit.NANOSECONDS);
        noLongerInFlight(batch);
    }

    /** Forgets blocks of that limit and subject that Redis has not got in time. */
    void dropBlocks(StateId id) {
        queue.dropBlocks(id);
    }

    /** Returns whether calls are under way that {@link #outstanding} may not see: they have left the queue and are being sent. */
    boolean isSending() {
        return inFlightCount.get() > 0;
    }

    /** Returns every call that is not completed, and some that are. */
    List<PendingCall> outstanding() {
        List<PendingCall> outstanding = new ArrayList<>();
        inFlight.forEach(batch -> outstanding.addAll(batch.batch().calls));
        queue.addTo(outstanding);
        return outstanding;
    }

    /** Fails everything outstanding, because nothing checks deadlines once the scheduler was shut down. */
    void failAll() {
        CallCompleter.failAll(outstanding(), StoreFailures.closed());
    }
}
