package io.ratelimit;

import io.ratelimit.algorithm.Tally;
import io.ratelimit.internal.StateId;
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
 * <p>Charges of one state by different numbers, such as the plans of a user and of a team under one name, are decided in
 * their order, each by its own numbers, as if those before it were taken already.
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
        for (int i = 1; i < merged.size(); i++) {
            checkFits(merged.get(i), merged.subList(0, i));
        }
        return List.copyOf(merged);
    }

    private static int indexOfSame(List<Charge> charges, Charge charge) {
        for (int i = 0; i < charges.size(); i++) {
            Charge other = charges.get(i);
            if (other.limit().equals(charge.limit()) && other.subject().equals(charge.subject())) {
                return i;
            }
        }
        return -1;
    }

    /** That it ever fits with those before it that are of the same state, by other numbers. */
    private static void checkFits(Charge charge, List<Charge> before) {
        Limit limit = charge.limit().shard(charge.limit().shards() - 1);
        Tally empty = limit.algorithm().newTally();
        long cost = charge.cost();
        long load = 0;
        for (Charge other : before) {
            if (StateId.of(other).equals(StateId.of(charge))) {
                cost += other.cost();
                load += empty.load(other.limit().quota(), other.cost());
            }
        }
        if (load > 0 && empty.retryAfterMicros(limit.quota(), 0, charge.cost(), load) > 0) {
            throw new CostExceedsCapacityException(charge.limit(), cost);
        }
    }
}
