package io.ratelimit.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Asks that have not left yet, in the order in which they came. Thread-safe. */
final class CallQueue {

    private static final int MOST_ASKS = 512;

    /** So many states keep Redis busy while the callers of another batch are answered. */
    private static final int FULL_STATES = 128;

    private final Queue<PendingCall> asks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private volatile int full = FULL_STATES;

    void add(PendingCall ask) {
        asks.add(ask);
        count.incrementAndGet();
    }

    void addAll(Collection<PendingCall> more) {
        more.forEach(this::add);
    }

    boolean isEmpty() {
        return asks.isEmpty();
    }

    /** Whether they make a full batch, if they share states as those of the last one did. */
    boolean areFullBatch() {
        return count.get() >= full;
    }

    void learnFrom(Batch last) {
        full = Math.max(1, FULL_STATES * last.asks.size() / last.size());
    }

    /** At most a full batch of them, which wait no more, without those that were told already. */
    List<PendingCall> next() {
        int most = Math.min(full, MOST_ASKS);
        List<PendingCall> next = new ArrayList<>();
        while (next.size() < most) {
            PendingCall ask = poll();
            if (ask == null) {
                break;
            }
            if (!ask.isAbandoned()) {
                next.add(ask);
            }
        }
        return next;
    }

    /** Those that were not told yet, and still wait. */
    List<PendingCall> overdue(long nowNanos) {
        return PendingCall.overdue(asks, nowNanos);
    }

    @Nullable
    PendingCall poll() {
        PendingCall ask = asks.poll();
        if (ask != null) {
            count.decrementAndGet();
        }
        return ask;
    }
}
