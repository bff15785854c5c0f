package io.ratelimit.internal.redis;

import io.ratelimit.Charge;
import io.ratelimit.Quota;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Layer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Blocks a subject for a time, or caps what it is admitted. One that is passed on late still ends when it would have ended. Thread-safe. */
final class PendingBlock extends PendingCall {

    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final long micros;
    private final long admitted;
    private final long endNanos;

    private PendingBlock(
            long micros,
            long admitted,
            List<Charge> charge,
            long endNanos,
            long deadlineNanos,
            @Nullable Call call,
            Layer store) {
        super(Operation.BLOCK, charge, 1, deadlineNanos, call, store);
        this.micros = micros;
        this.admitted = admitted;
        this.endNanos = endNanos;
    }

    /**
     * @param micros its length from now on
     * @param remaining what it admits; 0 of a block
     */
    static PendingBlock of(
            Call call, long micros, long remaining, List<Charge> charge, long deadlineNanos, Layer store) {
        long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
        return new PendingBlock(micros, Math.min(remaining, Quota.MOST_OWED), charge, end, deadlineNanos, call, store);
    }

    /** Returns whether it admits something. */
    boolean isCap() {
        return admitted > 0;
    }

    @Override
    PendingBlock later(long nanos) {
        long deadline = System.nanoTime() + Math.min(nanos, leftNanos());
        return new PendingBlock(micros, admitted, charges, endNanos, deadline, null, store);
    }

    @Override
    long[] actual() {
        return new long[] {isLate() ? TimeUnit.NANOSECONDS.toMicros(leftNanos()) : micros};
    }

    @Override
    long[] resetAfterMicros() {
        return new long[] {admitted};
    }

    /** Half a second of a late one, because what is left of its time is sent: later it is sent again. */
    @Override
    long decidedUntilNanos() {
        long soon = System.nanoTime() + LATE_NANOS;
        return isLate() && soon - deadlineNanos < 0 ? soon : deadlineNanos;
    }

    @Override
    boolean isRepeatable() {
        return true;
    }

    /** Returns whether this block holds and not the other one, if both are passed on: it admits less, or as much and ends later. */
    boolean holdsBefore(PendingBlock other) {
        long nowNanos = System.nanoTime();
        long less = other.admitted - admitted;
        boolean holds = less > 0 || (less == 0 && endNanos - other.endNanos > 0);
        return !isOverdue(nowNanos) && (holds || other.isOverdue(nowNanos));
    }

    private long leftNanos() {
        return Math.max(0, endNanos - System.nanoTime());
    }
}
