package io.ratelimit;

import java.util.Objects;
import java.util.Optional;

/**
 * One limit, one subject, and a cost or an element: part of an {@link Acquisition}. Immutable and thread-safe.
 *
 * @param limit the limit to charge
 * @param subject whom the limit counts, such as a user id or an address; not empty
 * @param cost number of requests that this call counts as, at least 1
 * @param element what is counted, such as a device, if the limit is of {@link Algorithm#UNIQUE_COUNT}
 */
public record Charge(Limit limit, String subject, long cost, Optional<String> element) {

    /**
     * @throws NullPointerException if the limit or the subject is null
     * @throws IllegalArgumentException if the subject is empty or the cost is below 1
     * @throws IllegalArgumentException if the limit counts elements and none is given, or the other way round
     * @throws CostExceedsCapacityException if the cost exceeds {@link Limit#largestCost}, so that it could never fit, and the
     *     limit does not only report
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
        if (cost > limit.largestCost() && !limit.reportOnly()) {
            throw new CostExceedsCapacityException(limit, cost);
        }
        checkElement(limit, cost, element);
    }

    /** Creates a charge of a limit that counts costs. */
    public Charge(Limit limit, String subject, long cost) {
        this(limit, subject, cost, Optional.empty());
    }

    /** Creates a charge of a limit of {@link Algorithm#UNIQUE_COUNT}. */
    public Charge(Limit limit, String subject, String element) {
        this(limit, subject, 1, Optional.of(element));
    }

    private static void checkElement(Limit limit, long cost, Optional<String> element) {
        boolean countsElements = limit.algorithm().countsElements();
        if (countsElements && (element.isEmpty() || element.get().isEmpty() || cost != 1)) {
            throw new IllegalArgumentException(
                    "limit '%s' counts distinct elements: pass an element and no cost".formatted(limit.name()));
        }
        if (!countsElements && element.isPresent()) {
            throw new IllegalArgumentException("limit '%s' of %s counts no elements: pass a cost, or use unique-count"
                    .formatted(limit.name(), limit.algorithm().label()));
        }
    }

    /** Returns a text without the subject, because subjects must not be logged. */
    @Override
    public String toString() {
        return "Charge[limit=%s, cost=%d]".formatted(limit.name(), cost);
    }
}
