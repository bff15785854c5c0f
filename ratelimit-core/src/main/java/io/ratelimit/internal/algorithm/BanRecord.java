package io.ratelimit.internal.algorithm;

import io.ratelimit.Ban;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * The refusals and bans of one subject under one limit. Failures take the place of refusals if the ban counts failures.
 * A ban begins when {@code after} refusals lie in (now - within, now]; then they are forgotten. A refusal during a ban
 * is not counted, so that each ban ends.
 *
 * <p>A ban is longer than the one before unless the subject has been quiet in between. It has been quiet if, after the
 * last ban ended, no ban began for as long as that ban took, or for {@code within} if that is longer.
 *
 * <p>Example: after 3 within 10 min, for 1 min and then 1 h. Refusals at 12:00, 12:04 and 12:05 ban until 12:06. Three
 * more until 12:16 ban for an hour; later ones ban for a minute again.
 *
 * <p>Plans share the record of a subject: it remembers as many refusals, and all it knows for as long, as the calls that
 * counted here asked for, and each call decides by its own numbers over what is remembered. A record that nothing asks for
 * any more is as good as new, whether or not the store has removed it yet. Example: a plan with {@code within} 4 min counts
 * a refusal at 12:00. A plan that bans after 2 within 10 min finds it at 12:03, but not at 12:04. Likewise a ban lasts by
 * the length of the plan that asks, but no longer than it is remembered.
 *
 * <p>When the clock steps back, times that are later than the clock count as now. So a ban lasts for at most its length
 * from then on.
 *
 * <p>State: when the last ban began, how many there were since the subject was quiet, the times of the last refusals since,
 * how many of them are kept, and until when. Not thread-safe: a store guards each record by a lock.
 */
public final class BanRecord {

    private final List<Long> refusals = new ArrayList<>(0);
    private long beganMicros;
    private long keptUntilMicros;
    private int bans;
    private int most;

    /** Records a step back of the clock. Call it before each use. */
    public void now(long nowMicros) {
        int later = refusals.size();
        while (later > 0 && refusals.get(later - 1) > nowMicros) {
            later--;
        }
        long oldest = bans > 0 ? beganMicros : later == 0 && !refusals.isEmpty() ? refusals.get(0) : nowMicros;
        keptUntilMicros -= Math.max(0, oldest - nowMicros);
        Collections.fill(refusals.subList(later, refusals.size()), nowMicros);
        beganMicros = Math.min(beganMicros, nowMicros);
    }

    /** Returns the time until the ban ends, in µs; 0 if the subject is not banned. */
    public long leftMicros(Ban ban, long nowMicros) {
        return bans == 0 ? 0 : Math.max(0, Math.min(keptUntilMicros, beganMicros + ban.lengthMicros(bans)) - nowMicros);
    }

    /**
     * Counts a refusal or failure; returns true if it begins the ban.
     *
     * @param counted the records in which the acquisition was counted before, for another ban of the subject; this one is
     *     added
     */
    public boolean count(Ban ban, long nowMicros, Set<BanRecord> counted) {
        if (leftMicros(ban, nowMicros) > 0) {
            return false;
        }
        forgetIfOver(nowMicros);
        most = Math.max(most, ban.after());
        if (counted.add(this)) {
            refusals.add(nowMicros);
            refusals.subList(0, Math.max(0, refusals.size() - most)).clear();
        }
        keepUntil(nowMicros + ban.withinMicros());
        if (bans > 0) {
            keepUntil(quietAtMicros(ban));
        }
        if (!areEnough(ban, nowMicros)) {
            return false;
        }
        begin(ban, nowMicros);
        return true;
    }

    /** Begins the next ban. */
    public void begin(Ban ban, long nowMicros) {
        forgetIfOver(nowMicros);
        boolean isQuiet = bans == 0 || quietAtMicros(ban) <= nowMicros;
        bans = isQuiet ? 1 : Math.min(bans + 1, Ban.MOST_LENGTHS);
        beganMicros = nowMicros;
        refusals.clear();
        keepUntil(quietAtMicros(ban));
    }

    /** Returns the time until this record answers as a new one would, in µs. */
    public long lastsMicros(long nowMicros) {
        return Math.max(0, keptUntilMicros - nowMicros);
    }

    private void forgetIfOver(long nowMicros) {
        if (keptUntilMicros <= nowMicros) {
            refusals.clear();
            most = 0;
            bans = 0;
            beganMicros = 0;
            keptUntilMicros = 0;
        }
    }

    private boolean areEnough(Ban ban, long nowMicros) {
        int oldest = refusals.size() - ban.after();
        return oldest >= 0 && refusals.get(oldest) > nowMicros - ban.withinMicros();
    }

    private void keepUntil(long micros) {
        keptUntilMicros = Math.max(keptUntilMicros, micros);
    }

    private long quietAtMicros(Ban ban) {
        long length = ban.lengthMicros(bans);
        return beganMicros + length + Math.max(length, ban.withinMicros());
    }
}
