package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;
import java.util.Arrays;

/**
 * Admits at most L requests in any stretch of W. Exact: it keeps the time of each admission for W. Its memory grows
 * with the number of admissions in a window, at most L.
 *
 * <p>Example: L = 10, W = 60 s, admissions at 12:04:31, :45, :55, 12:05:10, :20 and :28. At 12:05:30 all six count. The
 * first one leaves the window at 12:05:31.
 *
 * <p>An entry holds a time and the running total of all costs up to it. A call of cost 100 is therefore one entry, the
 * sum of any stretch is one subtraction, and a binary search finds which entries have left and when enough have left.
 * Calls in the same µs share an entry. Entries that have left are dropped when the next one is written.
 *
 * <p>When the clock steps back, the subject's time continues from its newest entry and runs ahead of the clock until
 * the log is empty. Every entry therefore leaves after as long as without the step.
 *
 * <p>State: a ring of entries, the total of the last dropped entry, and how far the subject's time is ahead of the
 * clock.
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
        if (size == 0) {
            return clockMicros;
        }
        aheadMicros = Math.max(aheadMicros, times[at(size - 1)] - clockMicros);
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

    /** Gives back by shortening the oldest entries: the sum is right at once, and no other entry leaves too early. */
    @Override
    public void settle(Quota quota, long nowMicros, long more, long takenAtMicros, long resetAfterMicros) {
        if (more > 0) {
            take(quota, nowMicros, Math.min(more, Quota.MOST_OWED - used(quota, nowMicros)));
        } else if (isWithinWindow(quota, nowMicros, takenAtMicros) && used(quota, nowMicros) > 0) {
            giveBack(quota, nowMicros, -more);
        }
    }

    /** A later time is that of a call before the clock stepped back, of which the log has nothing left. */
    private static boolean isWithinWindow(Quota quota, long nowMicros, long takenAtMicros) {
        return takenAtMicros > nowMicros - quota.windowMicros() && takenAtMicros <= nowMicros;
    }

    private void giveBack(Quota quota, long nowMicros, long cost) {
        drop(left(quota, nowMicros));
        goneTotal += cost;
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
    public long heapBytes() {
        return 80 + 16L * times.length;
    }

    @Override
    public long resetAfterMicros(Quota quota, long nowMicros) {
        return used(quota, nowMicros) == 0 ? 0 : times[at(size - 1)] + quota.windowMicros() - nowMicros;
    }

    private long used(Quota quota, long nowMicros) {
        return total(size) - total(left(quota, nowMicros));
    }

    /** Returns how many of the oldest entries have left the window that ends now. */
    private int left(Quota quota, long nowMicros) {
        return firstAbove(times, nowMicros - quota.windowMicros());
    }

    /** Returns the running total at the end of the first {@code entries} entries. */
    private long total(int entries) {
        return entries == 0 ? goneTotal : totals[at(entries - 1)];
    }

    private void drop(int entries) {
        goneTotal = total(entries);
        first = at(entries);
        size -= entries;
    }

    /**
     * Returns the index of the first entry above {@code bound}, or the size if there is none. Both rings are sorted.
     * Totals may overflow a long, so the search compares differences: two totals differ by at most what the log holds.
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
