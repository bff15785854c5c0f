package io.ratelimit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one call asks: one or more limits, each for a subject and at a cost, decided together. Either all of them are
 * charged or none is. Immutable and thread-safe.
 *
 * <pre>{@code
 * Acquisition search = Acquisition.of(burst, "alice").and(hourly, "alice", 10).and(perTenant, "acme");
 * }</pre>
 *
 * @param charges in the order asked; a limit asked twice for one subject is one charge of both costs
 * @param onStoreFailure overrides what the limiter does while its store does not answer
 */
public record Acquisition(List<Charge> charges, Optional<FailurePolicy> onStoreFailure) {

    /**
     * @throws IllegalArgumentException if nothing is asked
     * @throws CostExceedsCapacityException if the costs asked of one limit and subject are together above its capacity
     */
    public Acquisition {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("an acquisition asks at least one limit: add a charge");
        }
        charges = charges.size() == 1 ? List.copyOf(charges) : merged(charges);
    }

    public Acquisition(List<Charge> charges) {
        this(charges, Optional.empty());
    }

    /** One request of this limit for this subject. */
    public static Acquisition of(Limit limit, String subject) {
        return of(limit, subject, 1);
    }

    public static Acquisition of(Limit limit, String subject, long cost) {
        return new Acquisition(List.of(new Charge(limit, subject, cost)));
    }

    public Acquisition and(Limit limit, String subject) {
        return and(limit, subject, 1);
    }

    public Acquisition and(Limit limit, String subject, long cost) {
        List<Charge> more = new ArrayList<>(charges);
        more.add(new Charge(limit, subject, cost));
        return new Acquisition(more, onStoreFailure);
    }

    public Acquisition withOnStoreFailure(FailurePolicy policy) {
        return new Acquisition(charges, Optional.of(policy));
    }

    private static List<Charge> merged(List<Charge> charges) {
        List<Charge> merged = new ArrayList<>(charges.size());
        for (Charge charge : charges) {
            int same = indexOfSame(merged, charge);
            if (same < 0) {
                merged.add(charge);
            } else {
                long cost = Math.addExact(merged.get(same).cost(), charge.cost());
                merged.set(same, new Charge(charge.limit(), charge.subject(), cost));
            }
        }
        return List.copyOf(merged);
    }

    private static int indexOfSame(List<Charge> charges, Charge charge) {
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).isOf(charge.limit(), charge.subject())) {
                return i;
            }
        }
        return -1;
    }
}
