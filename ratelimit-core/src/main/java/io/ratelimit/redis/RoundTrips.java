package io.ratelimit.redis;

import java.util.concurrent.TimeUnit;

/**
 * Derives from the shortest round trip seen lately how many batches may be in flight: one for each 150 µs of it, at
 * least one. On a loopback a second batch would only split the first; on a network with a round trip of 1 ms, six
 * batches in flight mean that a call waits 170 µs for its batch at most, not another round trip.
 *
 * <p>The shortest round trip is that of the network plus the work of one batch, even while Redis is busy. A batch that
 * keeps Redis busy for longer than 150 µs lets others follow, so that Redis never waits for the next one. Lately means
 * the last 250 to 500 ms, so that a network that became slower is noticed. Thread-safe.
 */
final class RoundTrips {

    private static final long GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(150);
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Before the first reply the network may be of any kind. */
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
