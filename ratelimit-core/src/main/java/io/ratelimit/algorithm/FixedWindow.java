package io.ratelimit.algorithm;

/**
 * At most L in each window of the clock: [0, W), [W, 2W) and so on since 1970.
 *
 * <p>The cheapest answer to explain, and the one that lets 2L through around a boundary: 50 per 10 s admits 50 at
 * 09.9 s and 50 more at 10.0 s. Where that matters take {@link SlidingWindowCounter} or {@link SlidingWindowLog}.
 *
 * <p>State: the newest time seen, which names the window, and the sum of the costs in it.
 */
public final class FixedWindow implements Tally {

    private long newestMicros;
    private long used;

    @Override
    public long now(long clockMicros) {
        return Math.max(clockMicros, newestMicros);
    }

    @Override
    public long retryAfterMicros(Quota quota, long nowMicros, long cost) {
        return used(quota, nowMicros) + cost <= quota.maxRequests() ? 0 : untilEnd(quota, nowMicros);
    }

    @Override
    public void take(Quota quota, long nowMicros, long cost) {
        used = used(quota, nowMicros) + cost;
        newestMicros = nowMicros;
    }

    @Override
    public void giveBack(Quota quota, long nowMicros, long cost, long takenAtMicros) {
        if (takenAtMicros >= windowStart(quota, nowMicros)) {
            used = Math.max(0, used(quota, nowMicros) - cost);
            newestMicros = nowMicros;
        }
    }

    @Override
    public long remaining(Quota quota, long nowMicros) {
        return Math.max(0, quota.maxRequests() - used(quota, nowMicros));
    }

    @Override
    public long resetAfterMicros(Quota quota, long nowMicros) {
        return used(quota, nowMicros) == 0 ? 0 : untilEnd(quota, nowMicros);
    }

    private long used(Quota quota, long nowMicros) {
        return newestMicros < windowStart(quota, nowMicros) ? 0 : used;
    }

    private static long untilEnd(Quota quota, long nowMicros) {
        return windowStart(quota, nowMicros) + quota.windowMicros() - nowMicros;
    }

    private static long windowStart(Quota quota, long nowMicros) {
        return nowMicros - nowMicros % quota.windowMicros();
    }
}
