package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;
import java.util.ArrayList;
import java.util.List;

/**
 * The least that was missing from a bucket since any call of late, as it would have been without what was given back. A refund
 * lowers what was missing since its call by as much, but never below none, where tokens run over. So as much of it comes back as was
 * missing at least, which is the exact effect of a charge that was never made. All amounts are in µs in which they are refilled.
 * Not thread-safe.
 *
 * <p>Kept are steps: since each of these times, at least that was missing. The later the call, the more. Calls begin a step, and what is
 * missing before a change lowers those that are higher. If there are too many, the two whose amounts differ the least become one, with
 * the lower amount. Example: 10 per 1 s; calls took 5 at 0 s and 3 at 0.4 s, before which 1 was missing, so the steps are 1 since 0 s, and 4 since 0.4 s. At
 * 0.4 s, the first call gets 1 back, and the second all of its 3.
 *
 * <p>There is a second bound, which is better where many calls overlap that take as long: the resetAfter after a charge, minus the time since
 * and all that was given back since. So what was given back is counted, too, and a decision carries the count. It is the only one for calls that
 * were decided before anything was given back. What was decided longer ago than W or ten minutes is forgotten.
 */
final class LeastMissing {

    /** The most that is counted of what was given back, before it is counted anew; exact as a double together with the longest resetAfter. */
    private static final long MOST_MICROS = 1L << 51;

    /** More than is ever missing, and exact as a double. */
    private static final long NOTHING_YET = (1L << 53) - 1;

    private static final int MOST_STEPS = 12;

    private static final long LONGEST_MEMORY_MICROS = 600_000_000;

    /** The most by which rounding makes a resetAfter too large. */
    private static final long ROUNDED_MICROS = 2;

    private static final class Step {
        long sinceMicros;
        long least = NOTHING_YET;

        Step(long sinceMicros) {
            this.sinceMicros = sinceMicros;
        }
    }

    private final List<Step> steps = new ArrayList<>(MOST_STEPS);
    private long knownSinceMicros;
    private long givenBack;
    private long maxRequests;
    private long capacity;

    LeastMissing(Quota quota, long nowMicros) {
        steps.add(new Step(nowMicros));
        keepBy(quota);
    }

    /** Returns for how long a call is remembered. */
    static long memoryMicros(Quota quota) {
        return Math.min(quota.windowMicros(), LONGEST_MEMORY_MICROS);
    }

    /**
     * Takes note of what is missing before a change. What another quota finds missing is another amount.
     *
     * @param missing rounded down
     */
    void isMissing(Quota quota, long nowMicros, long missing) {
        long least = isKeptBy(quota) ? missing : 0;
        keepBy(quota);
        steps.forEach(step -> step.least = Math.min(step.least, least));
        removeEqual();
        long forgotten = nowMicros - memoryMicros(quota);
        while (steps.size() > 1 && steps.get(1).sinceMicros <= forgotten) {
            steps.remove(0);
        }
        if (!steps.isEmpty()) {
            steps.get(0).sinceMicros = Math.max(steps.get(0).sinceMicros, forgotten);
        }
    }

    /** A call takes something, after {@link #isMissing}. */
    void take(long nowMicros) {
        boolean isNew = steps.isEmpty() || steps.get(steps.size() - 1).sinceMicros < nowMicros;
        if (isNew && nowMicros >= knownSinceMicros) {
            steps.add(new Step(nowMicros));
            if (steps.size() > MOST_STEPS) {
                removeLeastDifferent();
            }
        }
    }

    /**
     * Returns how much is left of a refund, and changes nothing.
     *
     * @param missing what is missing now, rounded down
     * @param worth the refund, rounded up
     * @param foundMicros the resetAfter after the charge and {@link #givenBackMicros} then
     */
    long left(Quota quota, long nowMicros, long missing, long worth, long takenAtMicros, long foundMicros) {
        long least = 0;
        if (takenAtMicros >= knownSinceMicros && takenAtMicros > nowMicros - memoryMicros(quota)) {
            int step = stepOf(takenAtMicros);
            least = step >= 0 && isKeptBy(quota) ? steps.get(step).least : 0;
            least = Math.max(least, foundMicros - ROUNDED_MICROS - (nowMicros - takenAtMicros) - givenBack);
        }
        long runOver = nowMicros - takenAtMicros; // at most
        return Math.max(Math.min(Math.min(worth, missing), least), worth - runOver);
    }

    /** Gives back what is {@link #left} of a refund, after {@link #isMissing}. */
    void giveBack(long nowMicros, long takenAtMicros, long left) {
        int step = stepOf(takenAtMicros);
        for (int i = Math.max(0, step); i < steps.size(); i++) {
            steps.get(i).least = Math.max(0, steps.get(i).least - left);
        }
        for (int i = step - 1; i >= 0; i--) {
            steps.get(i).least = Math.min(steps.get(i).least, steps.get(i + 1).least);
        }
        removeEqual();
        givenBack += left + 1;
        if (givenBack > MOST_MICROS) {
            beginAnew(nowMicros + 1);
        }
    }

    /** Returns what was given back until now. */
    long givenBackMicros() {
        return givenBack;
    }

    /** After a step back of the clock nothing is known until it shows a later time than any before. */
    void stepBack(long latestMicros) {
        if (knownSinceMicros <= latestMicros) {
            beginAnew(latestMicros + 1);
        }
    }

    private void beginAnew(long sinceMicros) {
        steps.clear();
        knownSinceMicros = sinceMicros;
        givenBack = 0;
    }

    private int stepOf(long takenAtMicros) {
        int step = steps.size() - 1;
        while (step >= 0 && steps.get(step).sinceMicros > takenAtMicros) {
            step--;
        }
        return step;
    }

    private void removeEqual() {
        for (int i = steps.size() - 1; i > 0; i--) {
            if (steps.get(i).least == steps.get(i - 1).least) {
                steps.remove(i);
            }
        }
    }

    private void removeLeastDifferent() {
        int least = 1;
        double smallest = Double.MAX_VALUE;
        for (int i = 1; i < steps.size() - 1; i++) { // the last one is not known yet
            double ratio = (double) steps.get(i).least / (steps.get(i - 1).least + 1);
            if (ratio < smallest) {
                smallest = ratio;
                least = i;
            }
        }
        steps.remove(least);
    }

    private boolean isKeptBy(Quota quota) {
        return quota.maxRequests() == maxRequests && quota.capacity() == capacity;
    }

    private void keepBy(Quota quota) {
        maxRequests = quota.maxRequests();
        capacity = quota.capacity();
    }
}
