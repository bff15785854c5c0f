package io.ratelimit.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The calls that are not sent yet, in the order of arrival. Thread-safe. */
final class CallQueue {

    /**
     * A batch of this size keeps Redis busy for a few hundred µs at most, so other clients wait no longer than that.
     */
    private static final int MOST_CALLS = 512;

    private final Queue<PendingCall> calls = new ConcurrentLinkedQueue<>();

    void add(PendingCall call) {
        calls.add(call);
    }

    boolean isEmpty() {
        return calls.isEmpty();
    }

    /** Removes and returns the calls of the next batch. Abandoned calls are dropped. */
    List<PendingCall> next() {
        List<PendingCall> next = new ArrayList<>();
        while (next.size() < MOST_CALLS) {
            PendingCall call = calls.poll();
            if (call == null) {
                break;
            }
            if (!call.isAbandoned()) {
                next.add(call);
            }
        }
        return next;
    }

    List<PendingCall> overdue(long nowNanos) {
        return PendingCall.overdue(calls, nowNanos);
    }

    void addTo(Collection<PendingCall> others) {
        others.addAll(calls);
    }
}
