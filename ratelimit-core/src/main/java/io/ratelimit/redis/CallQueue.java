package io.ratelimit.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The calls that are not sent yet, in the order of arrival, and apart from them the refunds of late replies. These have more
 * time, but Redis decides no call of a batch that is too late for one of them. Thread-safe.
 */
final class CallQueue {

    /**
     * A batch of this size keeps Redis busy for a few hundred µs at most, so other clients wait no longer than that.
     */
    private static final int MOST_CALLS = 512;

    private final Queue<PendingCall> calls = new ConcurrentLinkedQueue<>();
    private final Queue<PendingCall> lateRefunds = new ConcurrentLinkedQueue<>();

    void add(PendingCall call) {
        (call.isLateRefund ? lateRefunds : calls).add(call);
    }

    boolean isEmpty() {
        return calls.isEmpty() && lateRefunds.isEmpty();
    }

    /** Removes and returns the calls of the next batch, late refunds first. Abandoned calls are dropped. */
    List<PendingCall> next() {
        List<PendingCall> next = new ArrayList<>();
        poll(lateRefunds, next);
        return next.isEmpty() ? nextCalls() : next;
    }

    /** Removes and returns the calls of the next batch, but no late refunds. */
    List<PendingCall> nextCalls() {
        List<PendingCall> next = new ArrayList<>();
        poll(calls, next);
        return next;
    }

    private static void poll(Queue<PendingCall> from, List<PendingCall> to) {
        while (to.size() < MOST_CALLS) {
            PendingCall call = from.poll();
            if (call == null) {
                break;
            }
            if (!call.isAbandoned()) {
                to.add(call);
            }
        }
    }

    List<PendingCall> overdue(long nowNanos) {
        List<PendingCall> overdue = PendingCall.overdue(calls, nowNanos);
        overdue.addAll(PendingCall.overdue(lateRefunds, nowNanos));
        return overdue;
    }

    void addTo(Collection<PendingCall> others) {
        others.addAll(calls);
        others.addAll(lateRefunds);
    }
}
