package io.ratelimit;

import java.util.Objects;

/**
 * One limit, one subject and a cost: part of an {@link Acquisition}. Immutable and thread-safe.
 *
 * @param limit the limit to charge
 * @param subject whom the limit counts, such as a user id or an address; not empty
 * @param cost number of requests that this call counts as, at least 1
 */
public record Charge(Limit limit, String subject, long cost) {

    /**
     * @throws NullPointerException if the limit or the subject is null
     * @throws IllegalArgumentException if the subject is empty or the cost is below 1
     * @throws CostExceedsCapacityException if the cost exceeds {@link Limit#largestCost}, so that it could never fit
     */
    public Charge {
        Objects.requireNonNull(limit, "limit");
        Objects.requireNonNull(subject, "subject");
        if (subject.isEmpty()) {
            throw new IllegalArgumentException(
                    "limit '%s' was given the subject '': pass whom to count, or 'global' to count all callers together"
                            .formatted(limit.name()));
        }
        if (cost < 1) {
            throw new IllegalArgumentException(
                    "cost '%d' for limit '%s' must be at least 1".formatted(cost, limit.name()));
        }
        if (cost > limit.largestCost()) {
            throw new CostExceedsCapacityException(limit, cost);
        }
    }

    /** Returns a text without the subject, because subjects must not be logged. */
    @Override
    public String toString() {
        return "Charge[limit=%s, cost=%d]".formatted(limit.name(), cost);
    }
}
