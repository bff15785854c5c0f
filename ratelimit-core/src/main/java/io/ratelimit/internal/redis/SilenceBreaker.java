package io.ratelimit.internal.redis;

import io.ratelimit.redis.BreakerState;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A circuit breaker for a node that does not answer, so that callers do not wait for the timeout again and again and
 * the node can recover. Thread-safe, without a thread of its own.
 *
 * <p>It counts script calls, not callers. A call that is answered is a success, even if the answer is an error. Calls
 * that were sent before a failure was noticed belong to the same silence and count as one failure. The breaker opens if
 * four of the last five outcomes are failures. So one silence of 110 ms does not open it, and a node that stays silent
 * is paused after four or five timeouts. After 250 ms, or when a lost connection is there again, the next call is sent as a
 * probe. If it is answered, the breaker closes.
 */
final class SilenceBreaker {

    private static final int OUTCOMES = 5;
    private static final int MOST_FAILURES = 3;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private volatile BreakerState state = BreakerState.CLOSED;
    private volatile long pausedUntilNanos;

    // guarded by this
    private int count;
    private int failures; // the last outcomes, a bit each, 1 for a failure
    private boolean failedBefore;
    private long lastFailureNanos;
    private boolean probing;

    /** Returns whether a call may be sent now. A permitted call must be reported as answered or unanswered. */
    boolean permits(long nowNanos) {
        return state == BreakerState.CLOSED || permitsProbe(nowNanos);
    }

    private synchronized boolean permitsProbe(long nowNanos) {
        if (state == BreakerState.CLOSED) {
            return true;
        }
        boolean permitted = !probing && nowNanos - pausedUntilNanos >= 0;
        if (permitted) {
            state = BreakerState.HALF_OPEN;
            probing = true;
            pausedUntilNanos = nowNanos + PAUSE_NANOS; // other calls do not wait for the probe
        }
        return permitted;
    }

    /**
     * Returns whether calls are failed without being queued: in the 250 ms after the breaker opened or sent a probe.
     */
    boolean isPaused(LongSupplier nanoTime) {
        return state != BreakerState.CLOSED && nanoTime.getAsLong() - pausedUntilNanos < 0;
    }

    synchronized void answered() {
        if (state == BreakerState.HALF_OPEN) {
            state = BreakerState.CLOSED;
            probing = false;
            count = 0;
            failures = 0;
        }
        add(0);
    }

    synchronized void unanswered(long sentNanos, long nowNanos) {
        boolean isSameSilence = failedBefore && sentNanos - lastFailureNanos <= 0;
        probing = false;
        if (isSameSilence) {
            return;
        }
        failedBefore = true;
        lastFailureNanos = nowNanos;
        add(1);
        if (state != BreakerState.CLOSED || (count == OUTCOMES && Integer.bitCount(failures) > MOST_FAILURES)) {
            state = BreakerState.OPEN;
            pausedUntilNanos = nowNanos + PAUSE_NANOS;
        }
    }

    private void add(int outcome) {
        failures = (failures << 1 | outcome) & (1 << OUTCOMES) - 1;
        count = Math.min(OUTCOMES, count + 1);
    }

    /** Sends the next call as a probe, if the breaker is open, because the node accepts connections again. */
    synchronized void reconnected(long nowNanos) {
        if (state == BreakerState.OPEN) {
            state = BreakerState.HALF_OPEN;
            probing = false;
            pausedUntilNanos = nowNanos;
        }
    }

    /** Returns closed, open or half open. Without a reconnection it stays open after the pause until a call is sent as a probe. */
    BreakerState state() {
        return state;
    }
}
