package io.ratelimit.internal.lease;

import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.internal.Micros;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A quantity that the store has charged at once, and the part of it that is still unused. Taking from it is one
 * compare-and-set. A closed grant neither serves nor takes anything back. Thread-safe.
 */
final class Grant {

    private static final long CLOSED = Long.MIN_VALUE;

    private final Decision charged;
    private final long charge;
    private final long expiresNanos;
    private final long answeredNanos;
    private final LimitStatus status;
    private final long resetAfterMicros;
    private final AtomicLong left;

    /**
     * Creates a grant of which nothing is used.
     *
     * @param charged the store's decision
     * @param charge the cost that it has charged
     * @param expiresNanos when the grant must no longer be served
     * @param answeredNanos when the store's answer arrived
     */
    Grant(Decision charged, long charge, long expiresNanos, long answeredNanos) {
        this.charged = charged;
        this.charge = charge;
        this.expiresNanos = expiresNanos;
        this.answeredNanos = answeredNanos;
        this.status = charged.limits().get(0);
        this.resetAfterMicros = Micros.of(status.resetAfter());
        this.left = new AtomicLong(charge);
    }

    Decision charged() {
        return charged;
    }

    /** Returns how long this may still be served; zero or negative if it has expired. */
    long lifeNanos(long nowNanos) {
        return expiresNanos - nowNanos;
    }

    /**
     * Takes the cost and returns the decision, even if this has expired; returns null if less than the cost is left.
     */
    @Nullable
    Decision take(long cost, long nowNanos) {
        while (true) {
            long before = left.get();
            if (before < cost) {
                return null;
            }
            if (left.compareAndSet(before, before - cost)) {
                return answer(before - cost, nowNanos);
            }
        }
    }

    /** Returns what {@link #take} would return, and takes nothing. */
    @Nullable
    Decision peek(long cost, long nowNanos) {
        long present = left.get();
        return present < cost ? null : answer(present, nowNanos);
    }

    /** Puts a cost back if the decision was served from this grant and it is not closed; returns whether it did. */
    boolean putBack(long cost, Decision decision) {
        boolean same = decision.decidedAt().equals(charged.decidedAt())
                && decision.limits().get(0).shard() == status.shard();
        if (!same) {
            return false;
        }
        while (true) {
            long before = left.get();
            if (before == CLOSED || before + cost > charge) {
                return false;
            }
            if (left.compareAndSet(before, before + cost)) {
                return true;
            }
        }
    }

    /** Closes this and returns the unused rest, which the caller must give back; 0 from the second call on. */
    long close() {
        return Math.max(0, left.getAndSet(CLOSED));
    }

    /** {@code remaining} is the sum of what the store had left after the charge and what is left of this grant. */
    private Decision answer(long leftHere, long nowNanos) {
        long sinceMicros = Math.max(0, nowNanos - answeredNanos) / 1_000;
        LimitStatus now = new LimitStatus(
                        status.limit(),
                        status.remaining() + leftHere,
                        status.retryAfter(),
                        Micros.toDuration(Math.max(0, resetAfterMicros - sinceMicros)),
                        status.shard())
                .afterGivingBack(Micros.of(status.givenBack()));
        return new Decision(true, List.of(now), charged.source(), charged.decidedAt());
    }
}
