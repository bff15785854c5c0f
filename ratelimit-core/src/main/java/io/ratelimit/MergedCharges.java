package io.ratelimit;

import io.ratelimit.internal.Costs;
import java.util.ArrayList;
import java.util.List;

/**
 * The charges of one acquisition, those of equal limits and subjects merged. Finds charges of one subject and limit name by a
 * hash, so that thousands of charges take no longer each than a few do. Not thread-safe.
 */
final class MergedCharges {

    private final List<Charge> charges;

    /** The number, by hash, of the last charge with it, counted from 1; 0 if there is none. */
    private final int[] lastOfHash;

    /** By index of a charge the number of the one before it with the same hash. */
    private final int[] previous;

    private MergedCharges(int size) {
        this.charges = new ArrayList<>(size);
        this.lastOfHash = new int[Integer.highestOneBit(size) * 2];
        this.previous = new int[size];
    }

    /** @throws IllegalArgumentException if a limit is given two elements of one subject */
    static MergedCharges of(List<Charge> charges) {
        MergedCharges merged = new MergedCharges(charges.size());
        charges.forEach(merged::add);
        return merged;
    }

    List<Charge> list() {
        return List.copyOf(charges);
    }

    /** Returns the charges before that one which may have its state; those that have are among them. */
    List<Charge> before(int index) {
        if (previous[index] == 0) {
            return List.of();
        }
        List<Charge> before = new ArrayList<>();
        for (int number = previous[index]; number > 0; number = previous[number - 1]) {
            before.add(charges.get(number - 1));
        }
        return before;
    }

    private void add(Charge charge) {
        int hash = 31 * charge.subject().hashCode() + charge.limit().name().hashCode();
        int slot = (hash ^ hash >>> 16) & (lastOfHash.length - 1);
        for (int number = lastOfHash[slot]; number > 0; number = previous[number - 1]) {
            Charge other = charges.get(number - 1);
            if (other.subject().equals(charge.subject()) && other.limit().equals(charge.limit())) {
                charges.set(number - 1, sum(other, charge));
                return;
            }
        }
        previous[charges.size()] = lastOfHash[slot];
        charges.add(charge);
        lastOfHash[slot] = charges.size();
    }

    private static Charge sum(Charge one, Charge other) {
        if (one.element().isPresent() && one.equals(other)) {
            return one;
        }
        AcquisitionChecks.checkSameElement(one, other);
        return new Charge(one.limit(), one.subject(), Costs.sum(one.cost(), other.cost()));
    }
}
