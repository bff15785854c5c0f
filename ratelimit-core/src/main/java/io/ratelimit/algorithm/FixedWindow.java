package io.ratelimit.algorithm;

/**
 * At most L in each window of the clock: [0, W), [W, 2W) and so on since 1970.
 *
 * <p>The cheapest answer to explain, and the one that lets 2L through around a boundary: 50 per 10 s admits 50 at
 * 09.9 s and 50 more at 10.0 s. Where that matters take {@link SlidingWindowCounter} or {@link SlidingWindowLog}.
 *
 * <p>A clock that steps back over a boundary reaches that boundary again soon, and what was counted would be free too
 * early. So all that is counted when the step is seen, and all that is taken until that boundary, is held for one window
 * from the step on. By then windows are the clock's again, and no W has let more than 2L through.
 *
 * <p>State: the start of the newest window counted and the sum of the costs in it; after such a step also a sum that is
 * held from the window before, and until when.
 */
public final class FixedWindow implements Tally {

    private long startMicros;
    private long used;
    private long held;
    private long heldUntilMicros;

    @Override
    public long now(Quota quota, long clockMicros) {
        long start = windowStart(quota, clockMicros);
        if (startMicros > start) {
            set(start, heldUntilMicros > startMicros ? used + held : used, 0, clockMicros + quota.windowMicros());
        } else if (heldUntilMicros > clockMicros + quota.windowMicros()) {
            heldUntilMicros = clockMicros + quota.windowMicros();
        }
        return clockMicros;
    }

    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long cost, long ahead) {
        long most = quota.maxRequests() - ahead - cost;
        long used = used(quota, nowMicros);
        if (used + held(quota, nowMicros) <= most) {
            return 0;
        }
        boolean waitsForHeld = used <= most || heldUntilMicros > windowEnd(quota, nowMicros);
        return (waitsForHeld ? heldUntilMicros : windowEnd(quota, nowMicros)) - nowMicros;
    }

    @Override
    public void take(Quota quota, long nowMicros, long cost) {
        advance(quota, nowMicros);
        used += cost;
    }

    /** What is held goes first: a cost of before the step is there, and one of after it stays charged in its window. */
    @Override
    public void giveBack(Quota quota, long nowMicros, long cost, long takenAtMicros) {
        if (takenAtMicros < windowStart(quota, nowMicros)) {
            return;
        }
        advance(quota, nowMicros);
        if (held > 0) {
            held = Math.max(0, held - cost);
        } else {
            used = Math.max(0, used - cost);
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
        long used = used(quota, nowMicros);
        if (used + held(quota, nowMicros) == 0) {
            return 0;
        }
        boolean heldIsLast = used == 0 || heldUntilMicros > windowEnd(quota, nowMicros);
        return (heldIsLast ? heldUntilMicros : windowEnd(quota, nowMicros)) - nowMicros;
    }

    private void advance(Quota quota, long nowMicros) {
        boolean holds = heldUntilMicros > nowMicros;
        set(windowStart(quota, nowMicros), used(quota, nowMicros), held(quota, nowMicros), holds ? heldUntilMicros : 0);
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

    private static long windowEnd(Quota quota, long nowMicros) {
        return windowStart(quota, nowMicros) + quota.windowMicros();
    }

    private static long windowStart(Quota quota, long nowMicros) {
        return nowMicros - nowMicros % quota.windowMicros();
    }
}
