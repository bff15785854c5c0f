package io.ratelimit;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * The answer to one {@link Acquisition}. Immutable and thread-safe; holds no subject, so it may be logged.
 *
 * <p>Five per minute, asked for the sixth time after 12 s: {@code allowed} is false, {@code remaining()} 0 and
 * {@code retryAfter()} 48 s.
 *
 * @param allowed whether the call may go on; all its limits were charged if so, and none if not
 * @param limits what each limit answered, in the order asked; empty if nothing was there to answer
 * @param source who answered
 * @param decidedAt the store's time of the decision
 */
public record Decision(boolean allowed, List<LimitStatus> limits, Source source, Instant decidedAt) {

    /** Who answered. */
    public enum Source {
        /** The store that counts. */
        STORE,
        /** This process's memory, while the store did not answer. */
        LOCAL,
        /** Nobody: the store did not answer, and the policy is {@link FailurePolicy#OPEN}. */
        NONE
    }

    public Decision {
        limits = List.copyOf(limits);
    }

    /** What a store says: allowed if no limit refuses. */
    public static Decision of(List<LimitStatus> limits, Instant decidedAt) {
        return new Decision(limits.stream().noneMatch(LimitStatus::refuses), limits, Source.STORE, decidedAt);
    }

    /** Allowed without an answer. */
    public static Decision unanswered() {
        return new Decision(true, List.of(), Source.NONE, Instant.EPOCH);
    }

    public Decision from(Source other) {
        return new Decision(allowed, limits, other, decidedAt);
    }

    /** Time until this same call would be admitted if nobody else calls: the longest of all limits; zero if allowed. */
    public Duration retryAfter() {
        return limits.stream()
                .map(LimitStatus::retryAfter)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /** The least that any of the limits would still admit. 0 if none answered. */
    public long remaining() {
        return limits.stream().mapToLong(LimitStatus::remaining).min().orElse(0);
    }

    /** The limits that refused. */
    public List<LimitStatus> refusing() {
        return limits.stream().filter(LimitStatus::refuses).toList();
    }
}
