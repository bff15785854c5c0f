package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;
import io.ratelimit.internal.MulDiv;

/**
 * Admits at most L requests by an estimate of the last W: the costs in the current window of the clock, plus the costs
 * in the previous one, weighted by the share of it that the last W still covers. Source: Cloudflare, "How we built rate
 * limiting capable of scaling to millions of domains" (2017).
 *
 * <pre>
 *   used = floor(previous * (W - x) / W) + current        x = time since this window began
 * </pre>
 *
 * <p>Example: L = 100, W = 60 s, previous = 80, current = 30 and x = 30 s. Then used is 40 + 30, and 30 remain. A
 * subject needs two sums, however large L is. The estimate assumes that the previous window's requests were spread
 * evenly.
 *
 * <p>Waiting times are computed in closed form. With y = W - x, a cost c fits in the current window as soon as
 * floor(previous * y / W) is at most m = L - current - c. The largest such y is floor(((m + 1) * W - 1) / previous). If
 * there is none in this window, the same formula is applied to the next one, in which {@code current} is the previous
 * sum.
 *
 * <p>When the clock steps back, the subject's time continues from the newest time seen and runs ahead of the clock
 * until both windows are over. The windows therefore stay as long as without the step. A call of a later time than the
 * subject's is one from before a step, of which nothing is left to give back.
 *
 * <p>State: the newest time seen (which determines the window), the two sums, and how far the subject's time is ahead
 * of the clock.
 */
public final class SlidingWindowCounter implements Tally {

    private long newestMicros;
    private long previous;
    private long current;
    private long aheadMicros;

    @Override
    public long now(Quota quota, long clockMicros) {
        aheadMicros = Math.max(aheadMicros, newestMicros - clockMicros);
        return clockMicros + aheadMicros;
    }

    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long cost, long ahead) {
        long fits = quota.maxRequests() - ahead - cost;
        if (used(quota, nowMicros) <= fits) {
            return 0;
        }
        return untilUsedIsAtMost(fits, quota, nowMicros);
    }

    @Override
    public void take(Quota quota, long nowMicros, long cost) {
        advance(quota, nowMicros);
        current += cost;
    }

    @Override
    public void settle(Quota quota, long nowMicros, long more, long takenAtMicros, long resetAfterMicros) {
        long windowStart = nowMicros - nowMicros % quota.windowMicros();
        boolean isKept = takenAtMicros >= windowStart - quota.windowMicros() && takenAtMicros <= nowMicros;
        if (more < 0 && (!isKept || used(quota, nowMicros) == 0)) {
            return;
        }
        advance(quota, nowMicros);
        if (more > 0) {
            current += Math.min(more, Quota.MOST_OWED - current);
        } else if (takenAtMicros >= windowStart) {
            current = Math.max(0, current + more);
        } else {
            previous = Math.max(0, previous + more);
        }
        // ahead of the clock, a share below 1 keeps its windows: those of the clock may end sooner
        boolean isFree = aheadMicros == 0 ? used(quota, nowMicros) == 0 : previous + current == 0;
        if (more < 0 && isFree) {
            clear();
        }
    }

    @Override
    public long remaining(Quota quota, long nowMicros) {
        return Math.max(0, quota.maxRequests() - used(quota, nowMicros));
    }

    @Override
    public long resetAfterMicros(Quota quota, long nowMicros) {
        return used(quota, nowMicros) == 0 ? 0 : untilUsedIsAtMost(0, quota, nowMicros);
    }

    /**
     * While its time is ahead of the clock, a tally lasts until both windows are over: the clock's windows overlap
     * them.
     */
    @Override
    public long lastsMicros(Quota quota, long nowMicros) {
        boolean isAhead = aheadMicros > 0 && windowsSinceNewest(quota, nowMicros) <= 1;
        return isAhead
                ? quota.windowMicros() * (2 - windowsSinceNewest(quota, nowMicros)) - nowMicros % quota.windowMicros()
                : resetAfterMicros(quota, nowMicros);
    }

    private void clear() {
        newestMicros = 0;
        previous = 0;
        current = 0;
        aheadMicros = 0;
    }

    private long used(Quota quota, long nowMicros) {
        long left = leftOfWindow(quota, nowMicros);
        return MulDiv.floorDiv(previous(quota, nowMicros), left, quota.windowMicros()) + current(quota, nowMicros);
    }

    private long untilUsedIsAtMost(long most, Quota quota, long nowMicros) {
        long left = leftOfWindow(quota, nowMicros);
        long current = current(quota, nowMicros);
        if (current <= most) {
            long leftWhenFree = leftWhenShareIsAtMost(most - current, previous(quota, nowMicros), quota.windowMicros());
            if (leftWhenFree >= 1) {
                return left - leftWhenFree;
            }
        }
        return left + Math.max(0, quota.windowMicros() - leftWhenShareIsAtMost(most, current, quota.windowMicros()));
    }

    /** Returns the largest y up to W with floor(count * y / W) at most {@code most}, or 0 if there is none. */
    static long leftWhenShareIsAtMost(long most, long count, long windowMicros) {
        if (most < 0) {
            return 0;
        }
        return count <= most ? windowMicros : MulDiv.ceilDiv(most + 1, windowMicros, count) - 1;
    }

    private void advance(Quota quota, long nowMicros) {
        long current = current(quota, nowMicros);
        previous = previous(quota, nowMicros);
        if (windowsSinceNewest(quota, nowMicros) > 1) {
            newestMicros = nowMicros - aheadMicros;
            aheadMicros = 0;
        } else {
            newestMicros = nowMicros;
        }
        this.current = current;
    }

    private long previous(Quota quota, long nowMicros) {
        long windows = windowsSinceNewest(quota, nowMicros);
        return windows == 0 ? previous : windows == 1 ? current : 0;
    }

    private long current(Quota quota, long nowMicros) {
        return windowsSinceNewest(quota, nowMicros) == 0 ? current : 0;
    }

    private long windowsSinceNewest(Quota quota, long nowMicros) {
        return nowMicros / quota.windowMicros() - newestMicros / quota.windowMicros();
    }

    private static long leftOfWindow(Quota quota, long nowMicros) {
        return quota.windowMicros() - nowMicros % quota.windowMicros();
    }
}
