package io.ratelimit.internal.redis;

import java.util.concurrent.TimeUnit;

/**
 * Computes how many batches may be in flight: one for each 150 µs of the shortest recent round trip, and at least one.
 * On a loopback a second batch would only split the first. On a network with a round trip of 1 ms, six batches may be
 * in flight, so a call waits at most 170 µs for its batch instead of another round trip.
 *
 * <p>The shortest round trip consists of the network's delay and the work of one batch, even while Redis is busy. If a
 * batch keeps Redis busy for longer than 150 µs, further batches may follow it, so that Redis does not idle between
 * them. "Recent" means the last 250 to 500 ms, so the limit adapts when the network becomes slower. Thread-safe.
 */
final class RoundTrips {

    private static final long GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(150);
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The limit before the first reply, when nothing is known about the network. */
    private static final int FIRST = 16;

    private boolean started;
    private long periodStartNanos;
    private long shortestBefore = Long.MAX_VALUE;
    private long shortestNow = Long.MAX_VALUE;
    private volatile int mostInFlight = FIRST;

    int mostInFlight() {
        return mostInFlight;
    }

    boolean areLongerThan(long nanos) {
        return mostInFlight * GAP_NANOS > nanos;
    }

    synchronized void add(long sentNanos, long repliedNanos) {
        long sinceStartNanos = repliedNanos - periodStartNanos;
        if (!started || sinceStartNanos >= PERIOD_NANOS) {
            shortestBefore = sinceStartNanos < 2 * PERIOD_NANOS ? shortestNow : Long.MAX_VALUE;
            shortestNow = Long.MAX_VALUE;
            periodStartNanos = repliedNanos;
            started = true;
        }
        shortestNow = Math.min(shortestNow, repliedNanos - sentNanos);
        long shortest = Math.min(shortestBefore, shortestNow);
        mostInFlight = (int) Math.min(Integer.MAX_VALUE, Math.max(1, shortest / GAP_NANOS));
    }
}
