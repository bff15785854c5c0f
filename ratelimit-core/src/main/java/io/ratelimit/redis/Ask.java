package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One call that waits for its decision, and when it stops waiting. */
final class Ask extends CompletableFuture<Decision> {

    /** What is asked; {@link #word} is what the engine script calls it. */
    enum Operation {
        ACQUIRE("acquire"),
        PEEK("peek"),
        REFUND("refund");

        final String word;

        Operation(String word) {
            this.word = word;
        }
    }

    final Operation operation;
    final List<Charge> charges;

    /** The state key of each charge. */
    final String[] keys;

    /** When it was taken, of a refund; else 0. */
    final long takenAtMicros;

    final long deadlineNanos;

    Ask(Operation operation, List<Charge> charges, String[] keys, long takenAtMicros, long deadlineNanos) {
        this.operation = operation;
        this.charges = charges;
        this.keys = keys;
        this.takenAtMicros = takenAtMicros;
        this.deadlineNanos = deadlineNanos;
    }

    boolean isAbandoned() {
        return isDone();
    }

    boolean isOverdue(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    /** Whether both may be one line of a batch. A refund is alone, for each was taken at a time of its own. */
    boolean asksTheSameAs(Ask other) {
        if (operation != other.operation || operation == Operation.REFUND || keys.length != other.keys.length) {
            return false;
        }
        for (int i = 0; i < keys.length; i++) {
            if (charges.get(i).cost() != other.charges.get(i).cost() || !keys[i].equals(other.keys[i])) {
                return false;
            }
        }
        return true;
    }
}
