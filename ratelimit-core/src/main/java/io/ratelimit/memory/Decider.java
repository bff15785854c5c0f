package io.ratelimit.memory;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.Quota;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.algorithm.Tally;
import io.ratelimit.internal.call.Amounts;
import io.ratelimit.internal.call.Settlements;
import java.util.ArrayList;
import java.util.List;

/** Decides and settles charges on entries whose locks the caller holds. Stateless. */
final class Decider {

    private Decider() {}

    /**
     * Does the same as {@link #decide(Acquisition, LockedEntries, long, boolean)} for one charge that is taken once, which
     * nearly all calls have.
     */
    static Decision decide(Charge charge, Entry entry, long clockMicros, boolean charging) {
        Quota quota = charge.limit().quota();
        Tally tally = entry.tally;
        long nowMicros = tally.now(quota, clockMicros);
        long retryAfterMicros = retryAfterMicros(charge, tally, nowMicros, 0);
        if (retryAfterMicros == 0 && charging) {
            tally.take(quota, nowMicros, Amounts.of(charge));
        }
        return decision(
                retryAfterMicros == 0, List.of(status(charge, entry, clockMicros, retryAfterMicros, 0)), clockMicros);
    }

    /** Decides all charges together, as many times as fit. If {@code charging}, takes all of them that often or none. */
    static Decision decide(Acquisition acquisition, LockedEntries entries, long clockMicros, boolean charging) {
        List<Charge> charges = acquisition.charges();
        long fitting = acquisition.times();
        for (int i = 0; i < charges.size() && fitting > 1; i++) {
            Quota quota = charges.get(i).limit().quota();
            Tally tally = entries.get(i).tally;
            long remaining = tally.remaining(quota, tally.now(quota, clockMicros));
            fitting = Math.min(fitting, remaining / charges.get(i).cost());
        }
        int times = (int) Math.max(1, fitting);
        Decision decision = decide(Amounts.times(charges, times), entries, clockMicros, charging);
        return times > 1 && decision.allowed() ? decision.taken(times) : decision;
    }

    /** Decides all charges together, once. If {@code charging}, takes all of them or none. */
    private static Decision decide(List<Charge> charges, LockedEntries entries, long clockMicros, boolean charging) {
        long[] ahead = entries.costsAhead(charges);
        long[] retryAfterMicros = new long[charges.size()];
        boolean admitted = true;
        for (int i = 0; i < retryAfterMicros.length; i++) {
            Charge charge = charges.get(i);
            Quota quota = charge.limit().quota();
            Tally tally = entries.get(i).tally;
            long nowMicros = tally.now(quota, clockMicros);
            retryAfterMicros[i] = retryAfterMicros(charge, tally, nowMicros, ahead[i]);
            admitted &= retryAfterMicros[i] == 0;
        }
        if (admitted && charging) {
            for (int i = 0; i < retryAfterMicros.length; i++) {
                Quota quota = charges.get(i).limit().quota();
                Tally tally = entries.get(i).tally;
                tally.take(quota, tally.now(quota, clockMicros), Amounts.of(charges.get(i)));
            }
        }
        List<LimitStatus> statuses = new ArrayList<>(charges.size());
        for (int i = 0; i < retryAfterMicros.length; i++) {
            statuses.add(status(charges.get(i), entries.get(i), clockMicros, retryAfterMicros[i], ahead[i]));
        }
        return decision(admitted, statuses, clockMicros);
    }

    /** Returns at least the window for a cost that never fits, which only a limit that only reports may be charged. */
    private static long retryAfterMicros(Charge charge, Tally tally, long nowMicros, long ahead) {
        Quota quota = charge.limit().quota();
        if (charge.element().isPresent() || charge.cost() <= quota.capacity() - ahead) {
            return tally.retryAfterMicros(quota, nowMicros, Amounts.of(charge), ahead);
        }
        long blocked = tally.isBlocked(charge.cost()) ? tally.resetAfterMicros(quota, nowMicros) : 0;
        return Math.max(quota.windowMicros(), blocked);
    }

    /** Corrects charges that the decision took to what they actually cost. */
    static void settle(
            List<Charge> charges, long[] actual, LockedEntries entries, long clockMicros, Decision decision) {
        long takenAtMicros = Micros.of(decision.decidedAt());
        long[] resetAfterMicros = Settlements.resetAfterMicros(decision);
        for (int i = 0; i < actual.length; i++) {
            Tally tally = entries.get(i).tally;
            Quota quota = charges.get(i).limit().quota();
            long nowMicros = tally.now(quota, clockMicros);
            long more = actual[i] - Amounts.of(charges.get(i));
            if (more != 0) {
                tally.settle(quota, nowMicros, more, takenAtMicros, resetAfterMicros[i]);
            }
            if (more > 0) {
                holdIfUsedUp(entries.get(i), quota, clockMicros);
            }
        }
    }

    private static Decision decision(boolean admitted, List<LimitStatus> statuses, long clockMicros) {
        return new Decision(admitted, statuses, Decision.Source.STORE, Micros.toInstant(clockMicros));
    }

    private static void holdIfUsedUp(Entry entry, Quota quota, long clockMicros) {
        long nowMicros = entry.tally.now(quota, clockMicros);
        if (entry.tally.remaining(quota, nowMicros) == 0) {
            entry.holdUntil(clockMicros + entry.tally.resetAfterMicros(quota, nowMicros));
        }
    }

    private static LimitStatus status(Charge charge, Entry entry, long clockMicros, long retryAfterMicros, long ahead) {
        Tally tally = entry.tally;
        Quota quota = charge.limit().quota();
        long nowMicros = tally.now(quota, clockMicros);
        long remaining = tally.remaining(quota, nowMicros);
        long resetAfterMicros = tally.resetAfterMicros(quota, nowMicros);
        if (remaining == 0 || retryAfterMicros > 0) {
            entry.holdUntil(clockMicros + Math.max(retryAfterMicros, resetAfterMicros));
        }
        LimitStatus status = LimitStatus.ofMicros(charge.limit(), remaining, retryAfterMicros, resetAfterMicros)
                .afterGivingBack(tally.givenBackMicros(quota, nowMicros));
        return retryAfterMicros > 0 && tally.isBlocked(ahead + Amounts.of(charge)) ? status.asBlocked() : status;
    }
}
