package io.ratelimit.internal.redis;

import io.ratelimit.internal.call.StateId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The calls that are not sent yet, in the order of arrival, and apart from them late settlements. These have more
 * time, but Redis decides no call of a batch that is too late for one of them. Thread-safe.
 */
final class CallQueue {

    /**
     * A batch of this size keeps Redis busy for a few hundred µs at most, so other clients wait no longer than that.
     */
    private static final int MOST_CALLS = 512;

    /** Settlements of a long outage; about 2 MB. */
    private static final int MOST_LATE = 10_000;

    private static final long LATE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Queue<PendingCall> calls = new ConcurrentLinkedQueue<>();
    private final Queue<PendingCall> late = new ConcurrentLinkedQueue<>();
    private final AtomicInteger lateCount = new AtomicInteger();
    private final LongSupplier nanoTime;
    private volatile long lateFromNanos;

    CallQueue(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.lateFromNanos = nanoTime.getAsLong();
    }

    void add(PendingCall call) {
        if (call.isLate()) {
            keep(call);
        } else {
            calls.add(call);
        }
    }

    /** Adds a late settlement, or drops it if too many are kept. */
    void keep(PendingCall settlement) {
        if (lateCount.get() < MOST_LATE) {
            lateCount.incrementAndGet();
            late.add(settlement);
        }
    }

    /** Drops the blocks among what is late. */
    void dropBlocks(StateId id) {
        for (PendingCall call : List.copyOf(late)) {
            if (call.blocks(id) && late.remove(call)) {
                lateCount.decrementAndGet();
            }
        }
    }

    /** Holds late settlements back for a moment, because Redis refuses to write: it would refuse them hundreds of times a second. */
    void pauseLate() {
        lateFromNanos = nanoTime.getAsLong() + LATE_PAUSE_NANOS;
    }

    /** Returns whether {@link #next} has calls to send now. */
    boolean hasNext() {
        return !calls.isEmpty() || isLateDue();
    }

    private boolean isLateDue() {
        return !late.isEmpty() && nanoTime.getAsLong() - lateFromNanos >= 0;
    }

    boolean isEmpty() {
        return calls.isEmpty() && late.isEmpty();
    }

    /** Removes and returns the calls of the next batch, late settlements first. Answered calls are dropped. */
    List<PendingCall> next() {
        List<PendingCall> next = new ArrayList<>();
        if (isLateDue()) {
            lateCount.addAndGet(-poll(late, next));
        }
        return next.isEmpty() ? nextCalls() : next;
    }

    /** Removes and returns the calls of the next batch, but no late settlements. */
    List<PendingCall> nextCalls() {
        List<PendingCall> next = new ArrayList<>();
        poll(calls, next);
        return next;
    }

    /** Returns how many calls it has removed. */
    private static int poll(Queue<PendingCall> from, List<PendingCall> to) {
        int polled = 0;
        while (to.size() < MOST_CALLS) {
            PendingCall call = from.poll();
            if (call == null) {
                break;
            }
            polled++;
            if (!call.isAnswered()) {
                to.add(call);
            }
        }
        return polled;
    }

    List<PendingCall> overdue(long nowNanos) {
        List<PendingCall> overdue = PendingCall.overdue(calls, nowNanos);
        overdue.addAll(PendingCall.overdue(late, nowNanos));
        return overdue;
    }

    void addTo(Collection<PendingCall> others) {
        others.addAll(calls);
        others.addAll(late);
    }
}
