package io.ratelimit.internal.redis;

import io.ratelimit.internal.call.StateId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The calls that are not sent yet, in the order of arrival, and apart from them late settlements. These have more
 * time, but Redis decides no call of a batch that is too late for one of them. So have late blocks. Thread-safe.
 */
final class CallQueue {

    /**
     * A batch of this size keeps Redis busy for a few hundred µs at most, so other clients wait no longer than that.
     */
    private static final int MOST_CALLS = 512;

    /** Settlements of a long outage, and as many blocks; about 2 MB each. */
    private static final int MOST_LATE = 10_000;

    private static final long LATE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Queue<PendingCall> calls = new ConcurrentLinkedQueue<>();
    private final Queue<PendingCall> late = new ConcurrentLinkedQueue<>();
    private final AtomicInteger lateCount = new AtomicInteger();
    private final Map<BlockId, PendingBlock> lateBlocks = new ConcurrentHashMap<>();
    private volatile long lateFromNanos = System.nanoTime();

    /** A cap has a place of its own: it holds where a block of the same subject ends before Redis is back. */
    private record BlockId(StateId state, boolean isCap) {

        static BlockId of(PendingBlock block) {
            return new BlockId(StateId.of(block.charges.get(0)), block.isCap());
        }
    }

    void add(PendingCall call) {
        if (call.isLate()) {
            keep(call);
        } else {
            calls.add(call);
        }
    }

    /**
     * Adds a late settlement or block, or drops it if too many are kept. Of several blocks of a subject one is kept, because a partner may
     * answer with one hundreds of times a second.
     */
    void keep(PendingCall call) {
        if (call instanceof PendingBlock block) {
            keepBlock(block);
        } else if (lateCount.get() < MOST_LATE) {
            lateCount.incrementAndGet();
            late.add(call);
        }
    }

    private void keepBlock(PendingBlock block) {
        BlockId id = BlockId.of(block);
        if (!hasPlace(id)) {
            long nowNanos = System.nanoTime();
            lateBlocks.values().removeIf(kept -> kept.isOverdue(nowNanos));
        }
        if (hasPlace(id)) {
            lateBlocks.merge(id, block, CallQueue::holding);
        }
    }

    /** Returns the block that is passed on in place of both: the one that holds, for as long as either would be tried. */
    private static PendingBlock holding(PendingBlock kept, PendingBlock next) {
        PendingBlock holding = next.holdsBefore(kept) ? next : kept;
        PendingBlock other = holding == next ? kept : next;
        boolean isTriedLonger = holding.deadlineNanos - other.deadlineNanos >= 0;
        return isTriedLonger ? holding : holding.later(other.deadlineNanos - System.nanoTime());
    }

    private boolean hasPlace(BlockId id) {
        return lateBlocks.size() < MOST_LATE || lateBlocks.containsKey(id);
    }

    /** Drops the late blocks of that limit and subject. */
    void dropBlocks(StateId id) {
        lateBlocks.remove(new BlockId(id, false));
        lateBlocks.remove(new BlockId(id, true));
    }

    /** Holds late settlements back for a moment, because Redis refuses to write: it would refuse them hundreds of times a second. */
    void pauseLate() {
        lateFromNanos = System.nanoTime() + LATE_PAUSE_NANOS;
    }

    /** Returns whether {@link #next} has calls to send now. */
    boolean hasNext() {
        return !calls.isEmpty() || isLateDue();
    }

    private boolean isLateDue() {
        return hasLate() && System.nanoTime() - lateFromNanos >= 0;
    }

    private boolean hasLate() {
        return !late.isEmpty() || !lateBlocks.isEmpty();
    }

    boolean isEmpty() {
        return calls.isEmpty() && !hasLate();
    }

    /** Removes and returns the calls of the next batch, late settlements and blocks first. Answered calls are dropped. */
    List<PendingCall> next() {
        List<PendingCall> next = new ArrayList<>();
        if (isLateDue()) {
            lateCount.addAndGet(-poll(late, next));
            pollBlocks(next);
        }
        return next.isEmpty() ? nextCalls() : next;
    }

    /** Removes and returns the calls of the next batch, but nothing late. */
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

    private void pollBlocks(List<PendingCall> to) {
        List<PendingBlock> next =
                lateBlocks.values().stream().limit(MOST_CALLS - to.size()).toList();
        for (PendingBlock block : next) {
            if (lateBlocks.remove(BlockId.of(block), block) && !block.isAnswered()) {
                to.add(block);
            }
        }
    }

    List<PendingCall> overdue(long nowNanos) {
        List<PendingCall> overdue = PendingCall.overdue(calls, nowNanos);
        overdue.addAll(PendingCall.overdue(late, nowNanos));
        overdue.addAll(PendingCall.overdue(lateBlocks.values(), nowNanos));
        return overdue;
    }

    void addTo(Collection<PendingCall> others) {
        others.addAll(calls);
        others.addAll(late);
        others.addAll(lateBlocks.values());
    }
}
