package io.ratelimit.internal.redis;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.internal.call.Amounts;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.OpenCalls;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A call at the store, from when it came until its reply or its deadline. This one decides, or counts for a ban. A caller that
 * gives up an acquisition before the decision is not charged. Thread-safe.
 */
class PendingCall {

    private static final AtomicIntegerFieldUpdater<PendingCall> STATE =
            AtomicIntegerFieldUpdater.newUpdater(PendingCall.class, "state");
    private static final int PENDING = 0;
    private static final int ANSWERED = 1;
    private static final int FAILED = 2;
    private static final int REPEATED = 3;
    private static final long[] NONE = {};

    final Operation operation;
    final List<Charge> charges;

    /** How often the charges are taken at most; 1 unless the call takes as much as fits. */
    final int times;

    final long deadlineNanos;

    /** What is answered; null if this gives back what a late reply has charged, so that nobody waits for it. */
    private final @Nullable Call call;

    final Layer store;
    private volatile int state = PENDING;
    private volatile @Nullable CompletableFuture<Void> done;

    /** @param call what is answered; null if nobody waits for it */
    PendingCall(
            Operation operation,
            List<Charge> charges,
            int times,
            long deadlineNanos,
            @Nullable Call call,
            Layer store) {
        this.operation = operation;
        this.charges = charges;
        this.times = times;
        this.deadlineNanos = deadlineNanos;
        this.call = call;
        this.store = store;
    }

    static PendingCall deciding(Decide call, long deadlineNanos, Layer store) {
        Operation operation = !call.isCharging() ? Operation.PEEK : call.mayWait() ? Operation.TRY : Operation.ACQUIRE;
        List<Charge> charges = call.acquisition().charges();
        return new PendingCall(operation, charges, call.acquisition().times(), deadlineNanos, call, store);
    }

    /** Creates a call of {@link Operation#FAIL} or {@link Operation#BAN}. */
    static PendingCall banning(Call call, Operation operation, List<Charge> charges, long deadlineNanos, Layer store) {
        return new PendingCall(operation, charges, 1, deadlineNanos, call, store);
    }

    /**
     * Returns a call that gives back what the decision charged for this one.
     *
     * @param nanos how long the refund is tried
     */
    PendingCall lateRefund(Decision decision, OpenCalls open, long nanos) {
        List<Charge> charged = Amounts.times(charges, decision.taken());
        long[] nothing = new long[charges.size()];
        return PendingSettlement.of(null, charged, nothing, decision, open, System.nanoTime() + nanos, store);
    }

    /** Returns whether nobody waits for this: it gives back what a late reply charged, or its caller got a failure. */
    boolean isLate() {
        return call == null;
    }

    /** Returns whether it matters though its caller has got a failure: it corrects what a call was charged, or stops others. */
    boolean mattersLater() {
        return operation == Operation.SETTLE || operation == Operation.FAIL || operation == Operation.BLOCK;
    }

    /**
     * Returns the same for nobody who waits for it.
     *
     * @param nanos how long it is tried
     */
    PendingCall later(long nanos) {
        return new PendingCall(operation, charges, times, System.nanoTime() + nanos, null, store);
    }

    /** Returns what a settled call cost, one number for each charge, or the length of a block in µs; empty for other operations. */
    long[] actual() {
        return NONE;
    }

    /** Returns the time of the decision that is settled, in µs by the store's clock; 0 for other operations. */
    long takenAtMicros() {
        return 0;
    }

    /**
     * Returns the resetAfter of each limit in the decision that is settled, or what a block admits; empty for other operations. Of
     * calls in flight, what is said of their end if it is sent now: 0, or one more than what may stay of their entry.
     */
    long[] resetAfterMicros() {
        return NONE;
    }

    /** Returns whether the end of a call must not free more than its own cost of what is charged, if it is sent now. */
    boolean freesOwnAlone(int charge) {
        return false;
    }

    /** Returns until when Redis may decide this if it is sent now. */
    long decidedUntilNanos() {
        return deadlineNanos;
    }

    /** Returns whether a part of it may be made again if Redis does not say whether it was made: the end of calls in flight, and blocks. */
    boolean isRepeatable() {
        return false;
    }

    /**
     * Says that it is made again. Returns from when on.
     *
     * @param fromNanos not before
     */
    long repeatFromNanos(long fromNanos) {
        return fromNanos;
    }

    /**
     * Returns the part that is repeatable.
     *
     * @param nanos how long it is tried
     */
    PendingCall again(long nanos) {
        return later(nanos);
    }

    /** Answers the call; returns false if it has failed before or was given up, so that a charge must go back. */
    boolean complete(Decision decision, Executor callbacks) {
        if (isGivenUp()) {
            completeExceptionally(new CancellationException());
            return false;
        }
        if (!end(ANSWERED)) {
            return false;
        }
        if (call != null) {
            call.deliver(store, decision, callbacks);
        }
        return true;
    }

    /** Fails the call, unless it was answered before. */
    void completeExceptionally(RuntimeException failure) {
        if (end(FAILED) && call != null) {
            call.deliverFailure(store, isGivenUp() ? new CancellationException() : failure);
        }
    }

    private boolean end(int next) {
        boolean ended = STATE.compareAndSet(this, PENDING, next);
        CompletableFuture<Void> listener = done;
        if (ended && listener != null) {
            listener.complete(null);
        }
        return ended;
    }

    /** Returns true once if the call has failed, to the one thread that is to repeat it. */
    boolean claimsRepetition() {
        return STATE.compareAndSet(this, FAILED, REPEATED);
    }

    boolean isAnswered() {
        return state != PENDING;
    }

    /** Returns whether the caller wants no decision any more. A settlement or ban that was asked for is made in any case. */
    boolean isGivenUp() {
        return (operation == Operation.ACQUIRE || operation == Operation.TRY) && call != null && call.isGivenUp();
    }

    /** Returns a stage that completes when the call is answered. */
    CompletableFuture<Void> done() {
        CompletableFuture<Void> listener = new CompletableFuture<>();
        done = listener;
        if (isAnswered()) {
            listener.complete(null);
        }
        return listener;
    }

    boolean isOverdue(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    /** Returns the calls whose deadline has passed and that are not answered yet. */
    static List<PendingCall> overdue(Collection<? extends PendingCall> calls, long nowNanos) {
        List<PendingCall> overdue = new ArrayList<>(0);
        for (PendingCall call : calls) {
            if (call.isOverdue(nowNanos) && !call.isAnswered()) {
                overdue.add(call);
            }
        }
        return overdue;
    }

    /**
     * Returns whether both calls have the same operation and costs. Always false for settling, because each refers to
     * the time of its own decision, and for blocks, each of which has its length.
     */
    boolean costsTheSameAs(PendingCall other) {
        if (operation != other.operation || operation.changesOnly() || charges.size() != other.charges.size()) {
            return false;
        }
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).cost() != other.charges.get(i).cost()) {
                return false;
            }
        }
        return true;
    }
}
