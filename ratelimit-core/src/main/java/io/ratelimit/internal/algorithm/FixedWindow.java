package io.ratelimit.internal.algorithm;

import io.ratelimit.Quota;

/**
 * Admits at most L requests in each window of the clock: [0, W), [W, 2W) and so on since 1970, or the periods of a calendar.
 *
 * <p>The limit is the easiest to explain, but it admits up to 2L around a boundary: with L = 50 and W = 10 s, 50
 * requests at 09.9 s and 50 more at 10.0 s. Use {@link SlidingWindowCounter} or {@link SlidingWindowLog} where that
 * matters.
 *
 * <p>When the clock steps back over a boundary, it reaches that boundary again soon, and the counts would be dropped
 * too early. Therefore the current sum, and every cost taken before that boundary, counts for one window after the
 * step: it is held. After that, windows follow the clock again. No stretch of W admits more than 2L.
 *
 * <p>Until that boundary nothing is given back: a call that seems to be of this window may have been made before the step, and
 * its window may have been over. The same holds for a call whose time the clock has not reached again.
 *
 * <p>State: the start of the newest window and the sum of its costs. After such a step also the sum that is held from
 * the window before, and the time until which it is held.
 */
public final class FixedWindow implements Tally {

    private long startMicros;
    private long used;
    private long held;
    private long heldUntilMicros;

    @Override
    public long now(Quota quota, long clockMicros) {
        long start = windowStart(quota, clockMicros);
        long end = quota.window().endMicros(clockMicros);
        long afterOneWindow = clockMicros + end - start;
        if (startMicros > start && used + held > 0) {
            set(start, used + held, 0, afterOneWindow);
        } else if (startMicros == start) {
            heldUntilMicros = Math.min(heldUntilMicros, afterOneWindow);
        } else { // what was held is over by then also if this window of a calendar is shorter
            heldUntilMicros = Math.min(heldUntilMicros, end - 1);
        }
        return clockMicros;
    }

    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long cost, long ahead) {
        return untilSumIsAtMost(quota.maxRequests() - ahead - cost, quota, nowMicros);
    }

    @Override
    public void take(Quota quota, long nowMicros, long cost) {
        advance(quota, nowMicros);
        used += cost;
    }

    /** Gives back from the held sum first, because a cost from before a step is part of it. */
    @Override
    public void settle(Quota quota, long nowMicros, long more, long takenAtMicros, long resetAfterMicros) {
        if (more < 0 && !isCounted(quota, nowMicros, takenAtMicros)) {
            return;
        }
        advance(quota, nowMicros);
        if (more > 0) {
            used += Math.min(more, Quota.MOST_OWED - used - held);
        } else if (held > 0) {
            held = Math.max(0, held + more);
        } else {
            used = Math.max(0, used + more);
        }
        if (used + held == 0) {
            set(0, 0, 0, 0);
        }
    }

    @Override
    public long remaining(Quota quota, long nowMicros) {
        return Math.max(0, quota.maxRequests() - used(quota, nowMicros) - held(quota, nowMicros));
    }

    @Override
    public long resetAfterMicros(Quota quota, long nowMicros) {
        return untilSumIsAtMost(0, quota, nowMicros);
    }

    private long untilSumIsAtMost(long most, Quota quota, long nowMicros) {
        long used = used(quota, nowMicros);
        if (used + held(quota, nowMicros) <= most) {
            return 0;
        }
        long windowEnd = quota.window().endMicros(nowMicros);
        return (used <= most ? heldUntilMicros : Math.max(heldUntilMicros, windowEnd)) - nowMicros;
    }

    private boolean isCounted(Quota quota, long nowMicros, long takenAtMicros) {
        boolean steppedBackInThisWindow = heldUntilMicros >= quota.window().endMicros(nowMicros);
        return takenAtMicros >= windowStart(quota, nowMicros) && takenAtMicros <= nowMicros && !steppedBackInThisWindow;
    }

    private void advance(Quota quota, long nowMicros) {
        set(windowStart(quota, nowMicros), used(quota, nowMicros), held(quota, nowMicros), heldUntilMicros);
    }

    private void set(long startMicros, long used, long held, long heldUntilMicros) {
        this.startMicros = startMicros;
        this.used = used;
        this.held = held;
        this.heldUntilMicros = heldUntilMicros;
    }

    private long used(Quota quota, long nowMicros) {
        return startMicros < windowStart(quota, nowMicros) ? 0 : used;
    }

    private long held(Quota quota, long nowMicros) {
        if (heldUntilMicros <= nowMicros) {
            return 0;
        }
        return startMicros < windowStart(quota, nowMicros) ? used : held;
    }

    private static long windowStart(Quota quota, long nowMicros) {
        return quota.window().startMicros(nowMicros);
    }
}
