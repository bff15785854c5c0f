package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.internal.AbandonableFuture;
import io.ratelimit.internal.Amounts;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.Settlements;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A call that waits for its decision until its deadline. The layers of a stack derive stages from that of an acquisition, so
 * cancelling one of these abandons the acquisition. A settlement or ban that was asked for is made in any case. Thread-safe.
 */
final class PendingCall extends AbandonableFuture<Decision> {

    /** The operations, each with the letters that stand for it in a request to {@code engine.lua}. */
    enum Operation {
        ACQUIRE('A', 'B'),
        /** Acquires for a call that may wait, so a refusal does not count for a ban. */
        TRY('A', 'C'),
        PEEK('P', 'Q'),
        SETTLE('S', 'S'),
        FAIL('F', 'F'),
        BAN('X', 'X');

        final char code;

        /** The letter if a limit has a ban. */
        final char codeWithBans;

        Operation(char code, char codeWithBans) {
            this.code = code;
            this.codeWithBans = codeWithBans;
        }
    }

    private static final long[] NONE = {};

    final Operation operation;
    final List<Charge> charges;

    /** How often the charges are taken at most; 1 unless the call takes as much as fits. */
    final int times;

    /** What a settled call cost, one number for each charge; empty for other operations. */
    final long[] actual;

    /** The time of the decision that is settled, in µs by the store's clock; 0 for other operations. */
    final long takenAtMicros;

    /** The resetAfter of each limit in the decision that is settled; empty for other operations. */
    final long[] resetAfterMicros;

    final long deadlineNanos;

    /** True if this gives back what a late reply has charged, so that no caller waits for it. */
    final boolean isLateRefund;

    private final Executor completions;

    /** Creates a call that does not settle. */
    PendingCall(Operation operation, List<Charge> charges, int times, long deadlineNanos, Executor completions) {
        this(operation, charges, times, NONE, 0, NONE, deadlineNanos, false, completions);
    }

    private PendingCall(
            Operation operation,
            List<Charge> charges,
            int times,
            long[] actual,
            long takenAtMicros,
            long[] resetAfterMicros,
            long deadlineNanos,
            boolean isLateRefund,
            Executor completions) {
        super(completions);
        this.operation = operation;
        this.charges = charges;
        this.times = times;
        this.actual = actual;
        this.takenAtMicros = takenAtMicros;
        this.resetAfterMicros = resetAfterMicros;
        this.deadlineNanos = deadlineNanos;
        this.isLateRefund = isLateRefund;
        this.completions = completions;
    }

    static PendingCall settling(
            List<Charge> charges, long[] actual, Decision decision, long deadlineNanos, Executor completions) {
        return settling(charges, actual, decision, deadlineNanos, false, completions);
    }

    private static PendingCall settling(
            List<Charge> charges,
            long[] actual,
            Decision decision,
            long deadlineNanos,
            boolean isLateRefund,
            Executor completions) {
        long takenAtMicros = Micros.of(decision.decidedAt());
        long[] resetAfterMicros = Settlements.resetAfterMicros(decision);
        return new PendingCall(
                Operation.SETTLE,
                charges,
                1,
                actual,
                takenAtMicros,
                resetAfterMicros,
                deadlineNanos,
                isLateRefund,
                completions);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return operation == Operation.ACQUIRE || operation == Operation.TRY
                ? super.newIncompleteFuture()
                : new CompletableFuture<>();
    }

    /**
     * Returns a call that gives back what the decision charged for this one.
     *
     * @param within how long the refund is tried
     */
    PendingCall lateRefund(Decision decision, Duration within) {
        long deadline = System.nanoTime() + within.toNanos();
        long[] nothing = new long[charges.size()];
        return settling(Amounts.times(charges, decision.taken()), nothing, decision, deadline, true, completions);
    }

    boolean isOverdue(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    /** Returns the calls whose deadline has passed and that are not completed yet. */
    static List<PendingCall> overdue(Collection<PendingCall> calls, long nowNanos) {
        List<PendingCall> overdue = new ArrayList<>(0);
        for (PendingCall call : calls) {
            if (call.isOverdue(nowNanos) && !call.isAbandoned()) {
                overdue.add(call);
            }
        }
        return overdue;
    }

    /**
     * Returns whether both calls have the same operation and costs. Always false for settling, because each refers to
     * the time of its own decision.
     */
    boolean costsTheSameAs(PendingCall other) {
        if (operation != other.operation || operation == Operation.SETTLE || charges.size() != other.charges.size()) {
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
