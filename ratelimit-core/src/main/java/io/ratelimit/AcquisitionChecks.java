package io.ratelimit;

import java.util.List;

/** Which charges one acquisition can have together. */
final class AcquisitionChecks {

    private AcquisitionChecks() {}

    /** A part of a quota that is held elsewhere could not be taken. */
    static void checkDivisible(List<Charge> charges) {
        for (Charge charge : charges) {
            Limit limit = charge.limit();
            if (!limit.reportOnly() && (limit.lease() > 1 || limit.shards() > 1)) {
                throw new IllegalArgumentException(
                        "limit '%s' has %s '%d', of which a call cannot take what is left: acquire it without upTo"
                                .formatted(
                                        limit.name(),
                                        limit.lease() > 1 ? "lease" : "shards",
                                        limit.lease() > 1 ? limit.lease() : limit.shards()));
            }
        }
    }

    static void checkTimes(List<Charge> charges, int times) {
        if (times < 1) {
            throw new IllegalArgumentException(
                    "limit '%s' cannot be acquired up to '%d' times: pass the most to take, at least 1"
                            .formatted(charges.get(0).limit().name(), times));
        }
        MergedCharges merged = MergedCharges.of(charges);
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            boolean isRepeated = merged.before(i).stream().anyMatch(other -> haveOneState(other, charge));
            if (isRepeated || charge.element().isPresent()) {
                throw new IllegalArgumentException(
                        "limit '%s' %s, of which a call takes all or nothing: acquire it without upTo"
                                .formatted(
                                        charge.limit().name(),
                                        isRepeated ? "is charged twice to one subject" : "counts distinct elements"));
            }
            if (charge.cost() > charge.limit().largestCost() / times
                    && !charge.limit().reportOnly()) {
                throw new CostExceedsCapacityException(charge.limit(), charge.cost() * times);
            }
        }
    }

    /** One call has one element of a subject: two would have to be counted one after the other. */
    static void checkSameElement(Charge one, Charge other) {
        if (!one.element().equals(other.element())) {
            throw new IllegalArgumentException(
                    "limit '%s' was given two elements of one subject: acquire them one after the other"
                            .formatted(one.limit().name()));
        }
    }

    /** Checks that the charge can ever fit together with those before it that have the same state but other numbers. */
    static void checkFits(Charge charge, List<Charge> before) {
        Limit limit = charge.limit();
        long ahead = 0;
        for (Charge other : before) {
            if (haveOneState(other, charge)) {
                checkSameElement(other, charge);
                checkShards(other.limit(), limit);
                ahead += other.cost();
            }
        }
        if (!limit.algorithm().countsElements() && !limit.reportOnly() && ahead > limit.capacity() - charge.cost()) {
            throw new CostExceedsCapacityException(limit, ahead + charge.cost());
        }
    }

    /** Two quotas may have equal shards, whose charges would be merged into one, and so get one answer for two limits. */
    private static void checkShards(Limit one, Limit other) {
        if (one.shards() > 1 && other.shards() > 1) {
            throw new IllegalArgumentException(
                    "limit '%s' with '%d' shards was given twice for one subject, with other settings: acquire them one after the other"
                            .formatted(other.name(), other.shards()));
        }
    }

    private static boolean haveOneState(Charge one, Charge other) {
        return one.subject().equals(other.subject())
                && one.limit().name().equals(other.limit().name())
                && one.limit().algorithm() == other.limit().algorithm()
                && one.limit().reportOnly() == other.limit().reportOnly()
                && one.limit().quota().window().equals(other.limit().quota().window());
    }
}
