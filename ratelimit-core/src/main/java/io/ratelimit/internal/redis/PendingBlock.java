package io.ratelimit.internal.redis;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Quota;
import io.ratelimit.internal.call.Bans;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Layer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Blocks a subject for a time, or caps what it is admitted. One that is passed on late still ends when it would have ended. Thread-safe. */
final class PendingBlock extends PendingCall {

    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final long micros;
    private final long admitted;
    private final long endNanos;
    private final Block asked;

    private PendingBlock(
            long micros,
            long admitted,
            List<Charge> charge,
            long endNanos,
            long deadlineNanos,
            Block asked,
            @Nullable Call call,
            Layer store) {
        super(Operation.BLOCK, charge, 1, deadlineNanos, call, store);
        this.asked = asked;
        this.micros = micros;
        this.admitted = admitted;
        this.endNanos = endNanos;
    }

    static PendingBlock of(Block asked, long deadlineNanos, Layer store) {
        long micros = asked.micros();
        long endNanos = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
        long admitted = Math.min(asked.remaining(), Quota.MOST_OWED);
        List<Charge> charge = List.of(Bans.anyCharge(asked.limit(), asked.subject()));
        return new PendingBlock(micros, admitted, charge, endNanos, deadlineNanos, asked, asked, store);
    }

    /** Returns whether it admits something. */
    boolean isCap() {
        return admitted > 0;
    }

    @Override
    PendingBlock later(long nanos) {
        long deadline = System.nanoTime() + Math.min(nanos, leftNanos());
        return new PendingBlock(micros, admitted, charges, endNanos, deadline, asked, null, store);
    }

    @Override
    boolean complete(Decision decision, Executor callbacks) {
        boolean completed = super.complete(decision, callbacks);
        if (isLate() || !completed) { // or its caller has got a failure
            asked.madeLate();
        }
        return completed;
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
