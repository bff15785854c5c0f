package io.ratelimit.internal.redis;

import io.ratelimit.StoreUnavailableException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

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
            keep(call.later(KEPT_NANOS));
        }
    }

    /**
     * Fails a call that Redis may have decided. The end of a call in flight and a block are made again, once Redis would not make
     * the first one any more: that of an end does not say how much may stay.
     */
    void lost(PendingCall call, StoreUnavailableException failure) {
        call.completeExceptionally(failure);
        PendingCall again = call.again(KEPT_NANOS);
        if (again != null && call.claimsRepetition()) {
            long waitNanos = call.isLate() ? 0 : call.deadlineNanos - System.nanoTime();
            scheduler.schedule(() -> keep(again), Math.max(0, waitNanos), TimeUnit.NANOSECONDS);
        }
    }

    /** Makes again what may be made twice and may never be answered. It is long overdue, so that Redis would not make it any more. */
    void unanswered(PendingCall call) {
        PendingCall again = call.again(call.isLate() ? call.deadlineNanos - System.nanoTime() : KEPT_NANOS);
        if (again != null) {
            keep(again);
        }
    }

    /** The last check may have found nothing outstanding while the call was neither in flight nor queued. */
    private void keep(PendingCall late) {
        queue.keep(late);
        checks.scheduleCheck();
    }
}
