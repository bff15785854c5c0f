package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One call that waits for its decision, and when it stops waiting. */
final class PendingCall extends CompletableFuture<Decision> {

    /** What is asked; {@link #code} is what the engine script calls it. */
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

    /** When it was taken, of a refund; else 0. */
    final long takenAtMicros;

    final long deadlineNanos;

    PendingCall(Operation operation, List<Charge> charges, long takenAtMicros, long deadlineNanos) {
        this.operation = operation;
        this.charges = charges;
        this.takenAtMicros = takenAtMicros;
        this.deadlineNanos = deadlineNanos;
    }

    /** Gives back what this has charged at that time. */
    PendingCall refund(long chargedAtMicros, Duration timeout) {
        return new PendingCall(Operation.REFUND, charges, chargedAtMicros, System.nanoTime() + timeout.toNanos());
    }

    boolean isAbandoned() {
        return isDone();
    }

    boolean isOverdue(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    /** Those of them that have not been told yet, but should have been by that time. */
    static List<PendingCall> overdue(Collection<PendingCall> asks, long nowNanos) {
        List<PendingCall> overdue = new ArrayList<>(0);
        for (PendingCall ask : asks) {
            if (ask.isOverdue(nowNanos) && !ask.isAbandoned()) {
                overdue.add(ask);
            }
        }
        return overdue;
    }

    /** Whether both ask the same, if their charges are of the same. A refund is alone: each has a time of its own. */
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
