package io.ratelimit.algorithm;

import java.util.Arrays;

/**
 * At most L in any W that ends now: every admission is remembered for W. Exact, and the one algorithm whose memory
 * grows with L.
 *
 * <p>An entry is a time and the running total of all costs up to it, so a call of cost 100 is one entry, what any
 * stretch of the log holds is one subtraction, and both "which have left" and "when have enough left" are one binary
 * search. Calls at the same µs share an entry. Entries that have left are dropped when the next one is written.
 *
 * <p>With L = 10 and W = 60 s and admissions at 12:04:31, :45, :55, 12:05:10, :20 and :28, at 12:05:30 all six still
 * count; the first to leave does so at 12:05:31.
 *
 * <p>When the clock steps back, the subject's time goes on from its newest entry at the clock's pace, ahead of the clock,
 * until the log is empty. So every entry leaves when it would have left without the step.
 *
 * <p>State: a ring of entries, the total of the last one dropped, and by how much the time is ahead of the clock.
 */
public final class SlidingWindowLog implements Tally {

    private long[] times = new long[1];
    private long[] totals = new long[1];
    private int first;
    private int size;
    private long goneTotal;
    private long aheadMicros;

    @Override
    public long now(Quota quota, long clockMicros) {
        if (size > 0 && times[at(size - 1)] > clockMicros + aheadMicros) {
            aheadMicros = times[at(size - 1)] - clockMicros;
        }
        return clockMicros + aheadMicros;
    }

    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long cost, long ahead) {
        long mustLeave = used(quota, nowMicros) + ahead + cost - quota.maxRequests();
        if (mustLeave <= 0) {
            return 0;
        }
        int last = firstAbove(totals, total(left(quota, nowMicros)) + mustLeave - 1);
        return times[at(last)] + quota.windowMicros() - nowMicros;
    }

    @Override
    public void take(Quota quota, long nowMicros, long cost) {
        long atMicros = nowMicros;
        drop(left(quota, nowMicros));
        if (size == 0) {
            atMicros -= aheadMicros;
            aheadMicros = 0;
        }
        long total = total(size) + cost;
        if (size == 0 || times[at(size - 1)] != atMicros) {
            makeRoom();
            size++;
            times[at(size - 1)] = atMicros;
        }
        totals[at(size - 1)] = total;
    }

    /** Lets the oldest leave early: right for the sum, and for the rest never too soon, whichever call is undone. */
    @Override
    public void giveBack(Quota quota, long nowMicros, long cost, long takenAtMicros) {
        if (takenAtMicros <= nowMicros - quota.windowMicros()) {
            return;
        }
        drop(left(quota, nowMicros));
        goneTotal += Math.min(cost, total(size) - goneTotal);
        int emptied = firstAbove(totals, goneTotal);
        first = at(emptied);
        size -= emptied;
        if (size == 0) {
            aheadMicros = 0;
        }
    }

    @Override
    public long remaining(Quota quota, long nowMicros) {
        return Math.max(0, quota.maxRequests() - used(quota, nowMicros));
    }

    @Override
    public long resetAfterMicros(Quota quota, long nowMicros) {
        return used(quota, nowMicros) == 0 ? 0 : times[at(size - 1)] + quota.windowMicros() - nowMicros;
    }

    private long used(Quota quota, long nowMicros) {
        return total(size) - total(left(quota, nowMicros));
    }

    /** How many entries have left the window that ends now. */
    private int left(Quota quota, long nowMicros) {
        return firstAbove(times, nowMicros - quota.windowMicros());
    }

    /** Running total of the first {@code entries} and all before them. */
    private long total(int entries) {
        return entries == 0 ? goneTotal : totals[at(entries - 1)];
    }

    private void drop(int entries) {
        goneTotal = total(entries);
        first = at(entries);
        size -= entries;
    }

    /**
     * Index of the first entry above {@code bound}, the size if none is. Both rings only grow with the index, totals
     * also beyond where a long begins anew: two differ by what the log holds at most.
     */
    private int firstAbove(long[] ring, long bound) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ring[at(middle)] - bound > 0) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private void makeRoom() {
        if (size < times.length) {
            return;
        }
        times = unrolled(times);
        totals = unrolled(totals);
        first = 0;
    }

    private long[] unrolled(long[] ring) {
        long[] larger = Arrays.copyOfRange(ring, first, first + 2 * ring.length);
        System.arraycopy(ring, 0, larger, ring.length - first, first);
        return larger;
    }

    private int at(int index) {
        return (first + index) & (times.length - 1);
    }
}
