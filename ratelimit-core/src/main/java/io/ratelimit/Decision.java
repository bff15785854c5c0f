package io.ratelimit;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * The answer to one {@link Acquisition}. Immutable and thread-safe. It contains no subject, so it may be logged.
 *
 * <p>Example: five per minute, and the sixth call comes 12 s after the first. Then {@code allowed} is false, {@code
 * remaining()} is 0 and {@code retryAfter()} is 48 s.
 *
 * @param allowed whether the call may proceed; if true all its limits were charged, otherwise none
 * @param limits the answer of each limit that may refuse, in the order of the acquisition; empty if no store answered or all
 *     limits only report
 * @param source who made the decision
 * @param decidedAt the time of the decision by the store's clock
 * @param taken how many times the acquisition was taken: 0 if refused, 1 if allowed, or as often as fitted in a call of
 *     {@link RateLimiter#acquireUpTo}
 * @param reported what each limit that only reports would have decided, in the order of the acquisition; empty if the call
 *     is refused
 */
public record Decision(
        boolean allowed,
        List<LimitStatus> limits,
        Source source,
        Instant decidedAt,
        int taken,
        List<Decision> reported) {

    /** Who made a decision. */
    public enum Source {
        /** The store. */
        STORE,
        /** This process's memory, while the store did not answer. */
        LOCAL,
        /** No store: it did not answer, and {@link FailurePolicy#OPEN} allows the call. */
        NONE
    }

    /** @throws IllegalArgumentException if {@code taken} is not above 0 for an allowed call, and 0 for a refused one */
    public Decision {
        limits = List.copyOf(limits);
        reported = List.copyOf(reported);
        if (taken < 0 || allowed != taken > 0) {
            throw new IllegalArgumentException(
                    "a decision that is %s cannot have taken '%d'".formatted(allowed ? "allowed" : "refused", taken));
        }
    }

    /** Creates a decision in which no limit only reports. */
    public Decision(boolean allowed, List<LimitStatus> limits, Source source, Instant decidedAt, int taken) {
        this(allowed, limits, source, decidedAt, taken, List.of());
    }

    /** Creates a decision of an acquisition that was taken once or refused. */
    public Decision(boolean allowed, List<LimitStatus> limits, Source source, Instant decidedAt) {
        this(allowed, limits, source, decidedAt, allowed ? 1 : 0);
    }

    /** Creates a store's decision: allowed if no limit refuses. */
    public static Decision of(List<LimitStatus> limits, Instant decidedAt) {
        return new Decision(limits.stream().noneMatch(LimitStatus::refuses), limits, Source.STORE, decidedAt);
    }

    /** Creates the decision of {@link FailurePolicy#OPEN}: allowed, without an answer of any limit. */
    public static Decision unanswered() {
        return unanswered(1);
    }

    /** Creates the decision of {@link FailurePolicy#OPEN} about an acquisition that may be taken so many times. */
    public static Decision unanswered(int taken) {
        return new Decision(true, List.of(), Source.NONE, Instant.EPOCH, taken);
    }

    /** Returns the same decision with another source. */
    public Decision from(Source other) {
        return new Decision(allowed, limits, other, decidedAt, taken, reported);
    }

    /** Returns the same decision, allowed and taken so many times. */
    public Decision taken(int times) {
        return new Decision(true, limits, source, decidedAt, times, reported);
    }

    /** Returns the same decision, with what the limits that only report would have decided. */
    public Decision withReported(List<Decision> decisions) {
        return new Decision(allowed, limits, source, decidedAt, taken, decisions);
    }

    /** Returns the time until this same call would be admitted if nobody else calls: the longest of all limits. */
    public Duration retryAfter() {
        return limits.stream()
                .map(LimitStatus::retryAfter)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /** Returns the smallest {@code remaining} of all limits; 0 if no store answered. */
    public long remaining() {
        return limits.stream().mapToLong(LimitStatus::remaining).min().orElse(0);
    }

    /** Returns the answers of the limits that only report, and would have refused the call. */
    public List<LimitStatus> exceeded() {
        return reported.stream()
                .flatMap(decision -> decision.refusing().stream())
                .toList();
    }

    /** Returns the answers of the limits that refused. */
    public List<LimitStatus> refusing() {
        return limits.stream().filter(LimitStatus::refuses).toList();
    }
}
