package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Decision;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One call that waits for its decision, and when it stops waiting. */
final class Ask {

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

    /** Equal for calls that ask the same. A refund equals only itself, for each was taken at a time of its own. */
    record Shape(Operation operation, List<Charge> charges, long takenAtMicros) {}

    final Shape shape;
    final List<String> keys;
    final long deadlineNanos;
    final CompletableFuture<Decision> answer = new CompletableFuture<>();

    Ask(Shape shape, List<String> keys, long deadlineNanos) {
        this.shape = shape;
        this.keys = keys;
        this.deadlineNanos = deadlineNanos;
    }

    boolean isAbandoned() {
        return answer.isDone();
    }

    boolean isOverdue(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }
}
