package io.ratelimit.algorithm;

/**
 * At most L by an estimate of the last W: what this window of the clock holds, and the share of the window before it
 * that a sliding one would still cover. From Cloudflare's "How we built rate limiting capable of scaling to millions
 * of domains" (2017).
 *
 * <pre>
 *   used = floor(previous * (W - x) / W) + current        x = time since this window began
 * </pre>
 *
 * With L = 100 and W = 60 s, 80 in the window before, 30 in this one and x = 30 s: used is 40 + 30, and 30 remain. Two
 * numbers a subject whatever L is; the price is that the window before counts as if spread evenly over it.
 *
 * <p>Waiting is solved, not searched for. In this window a cost c fits from the largest y = W - x on for which
 * floor(previous * y / W) is at most m = L - current - c, and that y is floor(((m + 1) * W - 1) / previous). If no y of
 * this window does, the same is asked of the next one, where {@code current} has become the window before.
 *
 * <p>When the clock steps back, the subject's time goes on from the newest time seen at the clock's pace, ahead of the
 * clock, until two windows later nothing of it is left. So the windows are as long as without the step.
 *
 * <p>State: the newest time seen, which names the window, the two sums, and by how much the time is ahead of the clock.
 */
public final class SlidingWindowCounter implements Tally {

    private long newestMicros;
    private long previous;
    private long current;
    private long aheadMicros;

    @Override
    public long now(Quota quota, long clockMicros) {
        if (newestMicros > clockMicros + aheadMicros) {
            aheadMicros = newestMicros - clockMicros;
        }
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
    public void giveBack(Quota quota, long nowMicros, long cost, long takenAtMicros) {
        long windowStart = nowMicros - nowMicros % quota.windowMicros();
        if (takenAtMicros < windowStart - quota.windowMicros()) {
            return;
        }
        advance(quota, nowMicros);
        if (takenAtMicros >= windowStart) {
            current = Math.max(0, current - cost);
        } else {
            previous = Math.max(0, previous - cost);
        }
        if (used(quota, nowMicros) == 0) {
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

    /** Ahead of the clock it lasts until both windows are over: windows of the clock would overlap with them. */
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
            long leftWhenFree = leftWhenShareIsAtMost(most - current, previous(quota, nowMicros), quota);
            if (leftWhenFree >= 1) {
                return left - leftWhenFree;
            }
        }
        return left + Math.max(0, quota.windowMicros() - leftWhenShareIsAtMost(most, current, quota));
    }

    /** The largest y with floor(count * y / W) at most {@code most}; the whole window if every y is. */
    private static long leftWhenShareIsAtMost(long most, long count, Quota quota) {
        if (most < 0) {
            return 0;
        }
        if (count <= most) {
            return quota.windowMicros();
        }
        return MulDiv.ceilDiv(most + 1, quota.windowMicros(), count) - 1;
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
