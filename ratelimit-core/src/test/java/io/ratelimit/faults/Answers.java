package io.ratelimit.faults;

import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.StoreUnavailableException;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts what callers were answered, and keeps what they should not have been. */
final class Answers {

    /** Who decided a call, or that it failed. */
    enum Answer {
        STORE_ALLOWED,
        STORE_REFUSED,
        LOCAL,
        NOBODY,
        UNAVAILABLE;

        boolean isOfStore() {
            return this == STORE_ALLOWED || this == STORE_REFUSED;
        }
    }

    final LongAdder allowed = new LongAdder();
    final LongAdder refused = new LongAdder();
    final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final Map<Answer, LongAdder> counts = new ConcurrentHashMap<>();

    long count(Answer answer) {
        return counts.computeIfAbsent(answer, key -> new LongAdder()).sum();
    }

    long ofStore() {
        return count(Answer.STORE_ALLOWED) + count(Answer.STORE_REFUSED);
    }

    long withoutStore() {
        return count(Answer.LOCAL) + count(Answer.NOBODY) + count(Answer.UNAVAILABLE);
    }

    /** Counts a decision, or a failure. */
    Answer add(FailurePolicy policy, boolean mayBeRefused, @Nullable Decision decision, @Nullable Throwable failure) {
        Answer answer = answer(policy, mayBeRefused, decision, failure);
        counts.computeIfAbsent(answer, key -> new LongAdder()).increment();
        return answer;
    }

    @Override
    public String toString() {
        return "%d allowed + %d refused + %d failed (%d by Redis, %d local, %d open, %d closed)"
                .formatted(
                        allowed.sum(),
                        refused.sum(),
                        count(Answer.UNAVAILABLE),
                        ofStore(),
                        count(Answer.LOCAL),
                        count(Answer.NOBODY),
                        count(Answer.UNAVAILABLE));
    }

    private Answer answer(
            FailurePolicy policy, boolean mayBeRefused, @Nullable Decision decision, @Nullable Throwable failure) {
        if (failure != null) {
            if (!(failure instanceof StoreUnavailableException)) {
                wrong.add(policy + ": " + failure);
            }
            return checked(Answer.UNAVAILABLE, policy, FailurePolicy.CLOSED);
        }
        (decision.allowed() ? allowed : refused).increment();
        if (!decision.allowed() && !mayBeRefused) {
            wrong.add("refused far below its limit: " + decision);
        }
        return switch (decision.source()) {
            case STORE -> decision.allowed() ? Answer.STORE_ALLOWED : Answer.STORE_REFUSED;
            case LOCAL -> checked(Answer.LOCAL, policy, FailurePolicy.LOCAL);
            case NONE -> checked(Answer.NOBODY, policy, FailurePolicy.OPEN);
        };
    }

    private Answer checked(Answer answer, FailurePolicy policy, FailurePolicy expected) {
        if (policy != expected) {
            wrong.add(answer + " under " + policy);
        }
        return answer;
    }
}
