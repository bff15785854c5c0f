package io.ratelimit;

import java.util.Objects;

/**
 * One limit asked for one subject: part of an {@link Acquisition}. Immutable and thread-safe.
 *
 * @param subject whom the limit counts, such as a user id or an address; any text but an empty one
 * @param cost how many requests this call counts as
 */
public record Charge(Limit limit, String subject, long cost) {

    /**
     * @throws NullPointerException if there is no limit or no subject
     * @throws IllegalArgumentException if the subject is empty or the cost is below 1
     * @throws CostExceedsCapacityException if the cost is above the limit's capacity, so that it could never fit
     */
    public Charge {
        Objects.requireNonNull(limit, "limit");
        Objects.requireNonNull(subject, "subject");
        if (subject.isEmpty()) {
            throw new IllegalArgumentException(
                    "limit '%s' is asked for an empty subject: name whom to count, or 'global' for everybody together"
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

    /** Without the subject, which belongs in no log. */
    @Override
    public String toString() {
        return "Charge[limit=%s, cost=%d]".formatted(limit.name(), cost);
    }
}
