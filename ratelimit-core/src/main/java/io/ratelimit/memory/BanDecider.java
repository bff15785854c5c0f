package io.ratelimit.memory;

import io.ratelimit.Acquisition;
import io.ratelimit.Ban;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.internal.algorithm.BanRecord;
import io.ratelimit.internal.call.Bans;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Decides acquisitions of which a limit has a ban, on entries whose locks the caller holds. Stateless. */
final class BanDecider {

    private BanDecider() {}

    /**
     * Decides all charges together. If {@code charging}, takes all of them or none, and counts refusals unless the call
     * may wait.
     */
    static Decision decide(Acquisition acquisition, LockedEntries entries, long clockMicros, boolean charging) {
        List<Charge> charges = acquisition.charges();
        boolean banned = false;
        for (int i = 0; i < charges.size(); i++) {
            banned |= leftMicros(charges.get(i), entries.get(i), clockMicros) > 0;
        }
        Decision decision = Decider.decide(acquisition, entries, clockMicros, charging && !banned);
        if (decision.allowed() && !banned) {
            return decision;
        }
        if (charging && acquisition.maxWait().isZero()) {
            refused(charges, decision, entries, clockMicros);
        }
        List<LimitStatus> limits = new ArrayList<>();
        for (int i = 0; i < charges.size(); i++) {
            LimitStatus status = decision.limits().get(i);
            long micros = leftMicros(charges.get(i), entries.get(i), clockMicros);
            limits.add(micros > 0 ? status.banned(micros) : status);
            entries.get(i).holdUntil(clockMicros + micros);
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
        Bans.logBegun(limit);
        entry.holdUntil(clockMicros + bans.leftMicros(ban, clockMicros));
    }

    /** Counts the calls that cost something in the end as failures, which may begin bans. */
    static void failed(List<Charge> charges, long[] actual, LockedEntries entries, long clockMicros) {
        Set<BanRecord> counted = new HashSet<>();
        for (int i = 0; i < actual.length; i++) {
            Limit limit = charges.get(i).limit();
            if (Bans.countsFailure(limit, actual[i])) {
                entries.get(i).tally.now(limit.quota(), clockMicros);
                BanRecord bans = entries.get(i).bans();
                bans.now(clockMicros);
                count(bans, limit, clockMicros, counted);
                entries.get(i).holdUntil(clockMicros + bans.leftMicros(Bans.check(limit), clockMicros));
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

    /** Counts the refusals of a decision, each of which may begin a ban: once for each limit and subject. */
    private static void refused(List<Charge> charges, Decision decision, LockedEntries entries, long clockMicros) {
        Set<BanRecord> counted = new HashSet<>();
        for (int i = 0; i < charges.size(); i++) {
            Ban ban = charges.get(i).limit().ban().orElse(null);
            if (ban != null && !ban.countsFailures() && decision.limits().get(i).refuses()) {
                count(entries.get(i).bans(), charges.get(i).limit(), clockMicros, counted);
            }
        }
    }

    private static void count(BanRecord bans, Limit limit, long clockMicros, Set<BanRecord> counted) {
        if (bans.count(Bans.check(limit), clockMicros, counted)) {
            Bans.logBegun(limit);
        }
    }
}
