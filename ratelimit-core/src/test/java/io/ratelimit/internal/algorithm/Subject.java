package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;
import java.util.HashMap;
import java.util.Map;

/**
 * One subject of one limit. It calls its tally as a store does: at the tally's own time, and charges only what fits.
 */
final class Subject {

    private final Tally tally;
    private Quota quota;
    private final Map<Map.Entry<Quota, Long>, Long> foundMicros = new HashMap<>();

    Subject(Tally tally, Quota quota) {
        this.tally = tally;
        this.quota = quota;
    }

    static Quota quota(long maxRequests, long windowMicros) {
        return new Quota(maxRequests, windowMicros, maxRequests);
    }

    Quota quota() {
        return quota;
    }

    void changeLimitTo(Quota changed) {
        quota = changed;
    }

    boolean admits(long clockMicros) {
        return admits(1, clockMicros);
    }

    boolean admits(long cost, long clockMicros) {
        if (retryAfter(cost, clockMicros) > 0) {
            return false;
        }
        tally.take(quota, tally.now(quota, clockMicros), cost);
        long givenBack = tally.givenBackMicros(quota, tally.now(quota, clockMicros));
        foundMicros.put(Map.entry(quota, clockMicros), resetAfter(clockMicros) + givenBack);
        return true;
    }

    /** Makes that many calls of cost 1 and returns how many are admitted. */
    int admitted(int calls, long clockMicros) {
        int admitted = 0;
        for (int i = 0; i < calls; i++) {
            admitted += admits(clockMicros) ? 1 : 0;
        }
        return admitted;
    }

    void giveBack(long cost, long takenAtMicros, long clockMicros) {
        settle(-cost, takenAtMicros, clockMicros);
    }

    /** Settles a call that cost so much more than it was charged, or less if negative. */
    void settle(long more, long takenAtMicros, long clockMicros) {
        if (more != 0) {
            long found = foundMicros.getOrDefault(Map.entry(quota, takenAtMicros), 0L);
            tally.settle(quota, tally.now(quota, clockMicros), more, takenAtMicros, found);
        }
    }

    long retryAfter(long cost, long clockMicros) {
        return tally.retryAfterMicros(quota, tally.now(quota, clockMicros), cost, 0);
    }

    /** Returns the wait of a cost that is charged together with another one before it. */
    long retryAfterTogetherWith(long before, long cost, long clockMicros) {
        return tally.retryAfterMicros(quota, tally.now(quota, clockMicros), cost, before);
    }

    long lasts(long clockMicros) {
        return tally.lastsMicros(quota, tally.now(quota, clockMicros));
    }

    long remaining(long clockMicros) {
        return tally.remaining(quota, tally.now(quota, clockMicros));
    }

    long resetAfter(long clockMicros) {
        return tally.resetAfterMicros(quota, tally.now(quota, clockMicros));
    }

    long used(long clockMicros) {
        return quota.capacity() - remaining(clockMicros);
    }
}
