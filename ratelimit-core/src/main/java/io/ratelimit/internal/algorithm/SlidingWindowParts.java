package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;
import io.ratelimit.internal.MulDiv;
import java.util.Arrays;

/**
 * Admits at most L requests by an estimate of the last W, which is closer than that of {@link SlidingWindowCounter}: the
 * window is divided into n parts, and only the oldest one is weighted.
 *
 * <pre>
 *   used = floor(oldest * (p - x) / p) + the n newest parts        p = W / n, x = time since the newest part began
 * </pre>
 *
 * <p>Example: L = 100, W = 60 s, n = 6, so a part is 10 s. At 12:01:05 the part from 12:00:00 had 8, and those from 12:00:10 on
 * had 60. Then used is 4 + 60, and 36 remain. The estimate assumes that the requests of one part, not of a whole window, were
 * spread evenly.
 *
 * <p>A part is kept as the total of all costs up to its end, as far as they are known. What was used since then is the
 * difference to the total of now, so a decision reads two totals, however many parts there are. A wait is found by halves: the
 * first part after which few enough costs came. Only giving back to an older part changes the totals of all parts since.
 *
 * <p>When the clock steps back, the subject's time continues from the newest time seen and runs ahead of the clock until all
 * parts are over. A call of a later time is one from before a step, of which nothing is left to give back.
 *
 * <p>State: the newest time seen, the total of all costs, the totals at the ends of the n + 1 parts before the newest, and how
 * far the subject's time is ahead of the clock.
 */
final class SlidingWindowParts implements Tally {

    private final int parts;
    private final long[] totals;
    private long newestMicros;
    private long total;
    private long aheadMicros;

    SlidingWindowParts(int parts) {
        this.parts = parts;
        this.totals = new long[parts + 1];
    }

    @Override
    public long now(Quota quota, long clockMicros) {
        aheadMicros = Math.max(aheadMicros, newestMicros - clockMicros);
        return clockMicros + aheadMicros;
    }

    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long cost, long ahead) {
        long fits = quota.maxRequests() - ahead - cost;
        return used(quota, nowMicros) <= fits ? 0 : untilUsedIsAtMost(fits, quota, nowMicros);
    }

    @Override
    public void take(Quota quota, long nowMicros, long cost) {
        advance(quota, nowMicros);
        total += cost;
    }

    @Override
    public void settle(Quota quota, long nowMicros, long more, long takenAtMicros, long resetAfterMicros) {
        if (more > 0) {
            advance(quota, nowMicros);
            total += Math.min(more, Quota.MOST_OWED - since(oldest(quota, nowMicros) - 1, quota));
        } else if (takenAtMicros <= nowMicros) {
            giveBack(quota, nowMicros, -more, part(quota, takenAtMicros));
        }
    }

    private void giveBack(Quota quota, long nowMicros, long cost, long part) {
        if (part < oldest(quota, nowMicros)) {
            return;
        }
        long given = Math.min(cost, since(part - 1, quota) - since(part, quota));
        if (given == 0) {
            return;
        }
        advance(quota, nowMicros);
        for (long later = part; later < part(quota, nowMicros); later++) {
            totals[slot(later)] -= given;
        }
        total -= given;
        boolean isFree =
                aheadMicros == 0 ? used(quota, nowMicros) == 0 : since(oldest(quota, nowMicros) - 1, quota) == 0;
        if (isFree) { // see SlidingWindowCounter
            clear();
        }
    }

    @Override
    public long remaining(Quota quota, long nowMicros) {
        return Math.max(0, quota.maxRequests() - used(quota, nowMicros));
    }

    @Override
    public long heapBytes() {
        return 70 + 8L * totals.length;
    }

    @Override
    public long resetAfterMicros(Quota quota, long nowMicros) {
        return used(quota, nowMicros) == 0 ? 0 : untilUsedIsAtMost(0, quota, nowMicros);
    }

    /** While its time is ahead of the clock, a tally lasts until all parts are over: the clock's parts overlap them. */
    @Override
    public long lastsMicros(Quota quota, long nowMicros) {
        long left = (part(quota, newestMicros) + parts + 1) * quota.window().partMicros() - nowMicros;
        return aheadMicros > 0 && left > 0 ? left : resetAfterMicros(quota, nowMicros);
    }

    private long used(Quota quota, long nowMicros) {
        long oldest = oldest(quota, nowMicros);
        long whole = since(oldest, quota);
        long left = quota.window().partMicros() - nowMicros % quota.window().partMicros();
        return MulDiv.floorDiv(
                        since(oldest - 1, quota) - whole, left, quota.window().partMicros())
                + whole;
    }

    private long untilUsedIsAtMost(long most, Quota quota, long nowMicros) {
        long now = part(quota, nowMicros);
        long low = now - parts;
        long high = now;
        while (low < high) {
            long middle = Math.floorDiv(low + high, 2); // negative before 1970
            if (since(middle, quota) <= most) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        long later = since(low, quota);
        long weighted = SlidingWindowCounter.leftWhenShareIsAtMost(
                most - later, since(low - 1, quota) - later, quota.window().partMicros());
        long end = (now + 1) * quota.window().partMicros() - nowMicros;
        return end + (low + parts - now) * quota.window().partMicros() - weighted;
    }

    private void advance(Quota quota, long nowMicros) {
        long newest = part(quota, newestMicros);
        long now = part(quota, nowMicros);
        if (now - newest > parts) {
            long clockMicros = nowMicros - aheadMicros;
            clear();
            newestMicros = clockMicros;
            return;
        }
        for (long part = newest; part < now; part++) {
            totals[slot(part)] = total;
        }
        newestMicros = nowMicros;
    }

    private void clear() {
        Arrays.fill(totals, 0);
        total = 0;
        newestMicros = 0;
        aheadMicros = 0;
    }

    /** Returns the costs of all parts after that one. */
    private long since(long part, Quota quota) {
        return part >= part(quota, newestMicros) ? 0 : total - totals[slot(part)];
    }

    private int slot(long part) {
        return Math.floorMod(part, totals.length); // negative before 1970
    }

    private long oldest(Quota quota, long nowMicros) {
        return part(quota, nowMicros) - parts;
    }

    private static long part(Quota quota, long micros) {
        return micros / quota.window().partMicros();
    }
}
