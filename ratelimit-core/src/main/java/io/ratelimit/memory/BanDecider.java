package io.ratelimit.memory;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.algorithm.Ban;
import io.ratelimit.algorithm.BanRecord;
import io.ratelimit.internal.Bans;
import java.util.ArrayList;
import java.util.List;

/** Decides acquisitions of which a limit has a ban, on entries whose locks the caller holds. Stateless. */
final class BanDecider {

    private BanDecider() {}

    /**
     * Decides all charges together. If {@code charging}, takes all of them or none, and counts refusals unless the call
     * may wait.
     */
    static Decision decide(Acquisition acquisition, LockedEntries entries, long clockMicros, boolean charging) {
        List<Charge> charges = acquisition.charges();
        long[] leftMicros = new long[charges.size()];
        boolean banned = false;
        for (int i = 0; i < leftMicros.length; i++) {
            leftMicros[i] = leftMicros(charges.get(i), entries.get(i), clockMicros);
            banned |= leftMicros[i] > 0;
        }
        Decision decision = Decider.decideUpTo(acquisition, entries, clockMicros, charging && !banned);
        if (decision.allowed() && !banned) {
            return decision;
        }
        boolean counting = charging && acquisition.maxWait().isZero();
        List<LimitStatus> limits = new ArrayList<>();
        for (int i = 0; i < leftMicros.length; i++) {
            LimitStatus status = decision.limits().get(i);
            if (counting && status.refuses() && leftMicros[i] == 0) {
                leftMicros[i] = refused(charges.get(i), entries.get(i), clockMicros);
            }
            limits.add(leftMicros[i] > 0 ? status.banned(leftMicros[i]) : status);
        }
        return new Decision(false, limits, decision.source(), decision.decidedAt());
    }

    /** Begins the next ban. Records a step of the clock, as any call about the subject does. */
    static void ban(Limit limit, Entry entry, long clockMicros) {
        Ban ban = Bans.check(limit);
        entry.tally.now(limit.quota(), clockMicros);
        BanRecord bans = entry.bans();
        bans.now(clockMicros);
        bans.begin(ban, clockMicros);
    }

    /** Counts the calls that cost something in the end as failures, which may begin bans. */
    static void failed(List<Charge> charges, long[] actual, LockedEntries entries, long clockMicros) {
        for (int i = 0; i < actual.length; i++) {
            Limit limit = charges.get(i).limit();
            if (Bans.countsFailure(limit, actual[i])) {
                entries.get(i).tally.now(limit.quota(), clockMicros);
                BanRecord bans = entries.get(i).bans();
                bans.now(clockMicros);
                bans.count(Bans.check(limit), clockMicros);
            }
        }
    }

    private static long leftMicros(Charge charge, Entry entry, long clockMicros) {
        BanRecord bans = entry.bans;
        if (bans == null || charge.limit().ban().isEmpty()) {
            return 0;
        }
        bans.now(clockMicros);
        return bans.leftMicros(charge.limit().ban().get(), clockMicros);
    }

    /** Counts a refusal, which may begin a ban; returns the time that is left of it. */
    private static long refused(Charge charge, Entry entry, long clockMicros) {
        if (charge.limit().ban().isEmpty() || charge.limit().ban().get().countsFailures()) {
            return 0;
        }
        Ban ban = charge.limit().ban().get();
        BanRecord bans = entry.bans();
        bans.count(ban, clockMicros);
        return bans.leftMicros(ban, clockMicros);
    }
}
