package io.ratelimit.internal.lease;

import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.internal.Micros;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the store has charged at once, and how much of it nobody has used yet. Taking is one compare-and-set; once it is
 * closed nothing is taken or put back any more. Thread-safe.
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
     * All of a charge.
     *
     * @param charged the store's decision
     * @param charge how much it has charged
     * @param answeredNanos when the store's answer was here
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

    /** How long it may still be served; zero or below if no more. */
    long lifeNanos(long nowNanos) {
        return expiresNanos - nowNanos;
    }

    /** Takes that much and answers, however old it is; null if there is not as much. */
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

    /** Answers as {@link #take} would, and takes nothing. */
    @Nullable
    Decision peek(long cost, long nowNanos) {
        long present = left.get();
        return present < cost ? null : answer(present, nowNanos);
    }

    /** Whether that much of it, as that decision says it had, could be put back. */
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

    /** Ends it; what is left is the caller's, and 0 from the second time on. */
    long close() {
        return Math.max(0, left.getAndSet(CLOSED));
    }

    /** Remaining is what the store had left after the charge, and what of the charge is left here. */
    private Decision answer(long leftHere, long nowNanos) {
        long sinceMicros = Math.max(0, nowNanos - answeredNanos) / 1_000;
        LimitStatus now = new LimitStatus(
                status.limit(),
                status.remaining() + leftHere,
                status.retryAfter(),
                Micros.toDuration(Math.max(0, resetAfterMicros - sinceMicros)),
                status.shard());
        return new Decision(true, List.of(now), charged.source(), charged.decidedAt());
    }
}
