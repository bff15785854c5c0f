package io.ratelimit.internal.redis;

import io.ratelimit.StoreUnavailableException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Fails calls that get no decision, and keeps the settlements and blocks among them until Redis has made them. Thread-safe. */
final class CallFailures {

    /** The time for which a settlement or block is tried that could not be made in time. */
    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final CallQueue queue;
    private final ScheduledExecutorService scheduler;
    private final OverdueChecker checks;

    /** @param checks send what is kept, once its node is not paused any more */
    CallFailures(CallQueue queue, ScheduledExecutorService scheduler, OverdueChecker checks) {
        this.queue = queue;
        this.scheduler = scheduler;
        this.checks = checks;
    }

    /**
     * Fails a call of which Redis has decided nothing. A settlement or block is made later, so that it is made once, also if Redis
     * or the connection was away when the call ended, or Redis refused to write.
     */
    void undecided(PendingCall call, StoreUnavailableException failure) {
        if (call.isLate()) {
            keep(call);
            return;
        }
        call.completeExceptionally(failure);
        if (call.mattersLater() && call.claimsRepetition()) { // two threads may find it overdue at once
            keepFrom(call.repeatFromNanos(System.nanoTime()), () -> call.later(KEPT_NANOS));
        }
    }

    /**
     * Fails a call that Redis may have decided. The end of a call in flight and a block are made again, once Redis would not make
     * the first one any more: that of an end does not say how much may stay.
     */
    void lost(PendingCall call, StoreUnavailableException failure) {
        call.completeExceptionally(failure);
        if (call.isRepeatable() && call.claimsRepetition()) {
            long fromNanos = call.isLate() ? System.nanoTime() : call.deadlineNanos;
            keepFrom(call.repeatFromNanos(fromNanos), () -> call.again(KEPT_NANOS));
        }
    }

    /** Makes again what may be made twice and may never be answered. It is long overdue, so that Redis would not make it any more. */
    void unanswered(PendingCall call) {
        if (call.isRepeatable()) {
            long nowNanos = System.nanoTime();
            long nanos = call.isLate() ? call.deadlineNanos - nowNanos : KEPT_NANOS;
            keepFrom(call.repeatFromNanos(nowNanos), () -> call.again(nanos));
        }
    }

    /**
     * Gives back calls in flight that a late reply has admitted. It says at once how much may stay: an attempt that takes away could
     * be made for longer than others of its entry wait.
     */
    void giveBack(PendingCall refund) {
        keepFrom(refund.repeatFromNanos(System.nanoTime()), () -> refund.later(KEPT_NANOS));
    }

    private void keepFrom(long fromNanos, Supplier<PendingCall> late) {
        long waitNanos = fromNanos - System.nanoTime();
        if (waitNanos <= 0) {
            keep(late.get());
        } else {
            scheduler.schedule(() -> keep(late.get()), waitNanos, TimeUnit.NANOSECONDS);
        }
    }

    /** The last check may have found nothing outstanding while the call was neither in flight nor queued. */
    private void keep(PendingCall late) {
        queue.keep(late);
        checks.scheduleCheck();
    }
}
