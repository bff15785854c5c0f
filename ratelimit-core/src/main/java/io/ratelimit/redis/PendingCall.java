package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.internal.CallerFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;

/** A call that waits for its decision until its deadline. Thread-safe. */
final class PendingCall extends CallerFuture<Decision> {

    /** The operations, each with the letter that stands for it in a request to {@code engine.lua}. */
    enum Operation {
        ACQUIRE('A'),
        PEEK('P'),
        REFUND('R');

        final char code;

        Operation(char code) {
            this.code = code;
        }
    }

    final Operation operation;
    final List<Charge> charges;

    /** The time of the decision that a refund gives back, in µs by the store's clock; 0 for other operations. */
    final long takenAtMicros;

    final long deadlineNanos;

    private final Executor completions;

    PendingCall(
            Operation operation, List<Charge> charges, long takenAtMicros, long deadlineNanos, Executor completions) {
        super(completions);
        this.operation = operation;
        this.charges = charges;
        this.takenAtMicros = takenAtMicros;
        this.deadlineNanos = deadlineNanos;
        this.completions = completions;
    }

    /** Returns a call that refunds what this one was charged at that time. */
    PendingCall refund(long chargedAtMicros, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        return new PendingCall(Operation.REFUND, charges, chargedAtMicros, deadline, completions);
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
     * Returns whether both calls have the same operation and costs. Always false for refunds, because each refers to
     * the time of its own decision.
     */
    boolean costsTheSameAs(PendingCall other) {
        if (operation != other.operation || operation == Operation.REFUND || charges.size() != other.charges.size()) {
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
