package io.ratelimit.algorithm;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The refusals and bans of one subject under one limit. Failures take the place of refusals if the ban counts those.
 * Refusals in (now - within, now] lead to a ban when they are as
 * many as its numbers say; then they are forgotten. A refusal during a ban is not counted, so that each ban ends.
 *
 * <p>A ban is longer than the one before unless the subject has been quiet: unless no ban began for as long as the last
 * one took, or for {@code within} if that is longer, after it ended.
 *
 * <p>Example: after 3 within 10 min, for 1 min and then 1 h. Refusals at 12:00, 12:04 and 12:05 ban until 12:06. Three
 * more until 12:16 ban for an hour; later ones ban for a minute again.
 *
 * <p>Only the beginning of the last ban is kept, so that each call decides by its own numbers. When the clock steps back,
 * what was later than it shows counts as now. So a ban is never longer than its length from then.
 *
 * <p>State: when the last ban began, how many there were since the subject was quiet, and the times of the refusals since.
 * Not thread-safe: a store guards each record by a lock.
 */
public final class BanRecord {

    private final Deque<Long> refusals = new ArrayDeque<>();
    private long beganMicros;
    private int bans;

    /** Records a step back of the clock. Call it before each use. */
    public void now(long nowMicros) {
        beganMicros = Math.min(beganMicros, nowMicros);
        int later = 0;
        while (!refusals.isEmpty() && refusals.peekLast() > nowMicros) {
            refusals.removeLast();
            later++;
        }
        for (; later > 0; later--) {
            refusals.addLast(nowMicros);
        }
    }

    /** Returns the time until the ban ends, in µs; 0 if the subject is not banned. */
    public long leftMicros(Ban ban, long nowMicros) {
        return bans == 0 ? 0 : Math.max(0, beganMicros + ban.lengthMicros(bans) - nowMicros);
    }

    /** Counts a refusal or failure, which may begin a ban. */
    public void count(Ban ban, long nowMicros) {
        if (leftMicros(ban, nowMicros) > 0) {
            return;
        }
        while (!refusals.isEmpty() && refusals.peekFirst() <= nowMicros - ban.withinMicros()) {
            refusals.removeFirst();
        }
        refusals.addLast(nowMicros);
        if (refusals.size() >= ban.after()) {
            begin(ban, nowMicros);
        }
    }

    /** Begins the next ban. */
    public void begin(Ban ban, long nowMicros) {
        boolean isQuiet = bans == 0 || quietAtMicros(ban) <= nowMicros;
        bans = isQuiet ? 1 : Math.min(bans + 1, Ban.MOST_LENGTHS);
        beganMicros = nowMicros;
        refusals.clear();
    }

    /** Returns the time until this record answers as a new one would, in µs. */
    public long lastsMicros(Ban ban, long nowMicros) {
        long ofBans = bans == 0 ? 0 : quietAtMicros(ban) - nowMicros;
        long ofRefusals = refusals.isEmpty() ? 0 : refusals.getLast() + ban.withinMicros() - nowMicros;
        return Math.max(0, Math.max(ofBans, ofRefusals));
    }

    private long quietAtMicros(Ban ban) {
        long length = ban.lengthMicros(bans);
        return beganMicros + length + Math.max(length, ban.withinMicros());
    }
}
