package io.ratelimit.internal;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
public final class SilenceBreaker {

    private static final int OUTCOMES = 5;
    private static final float FAILURE_PERCENT = 80;
    private static final Duration PAUSE = Duration.ofMillis(250);

    private final CircuitBreaker breaker;
    private volatile long pausedUntilNanos;
    private final AtomicLong lastFailureNanos = new AtomicLong(System.nanoTime() - TimeUnit.HOURS.toNanos(1));

    public SilenceBreaker() {
        this(new SteadyClock());
    }

    SilenceBreaker(Clock clock) {
        breaker = CircuitBreaker.of(
                "ratelimit-node",
                CircuitBreakerConfig.custom()
                        .slidingWindowType(SlidingWindowType.COUNT_BASED)
                        .slidingWindowSize(OUTCOMES)
                        .minimumNumberOfCalls(OUTCOMES)
                        .failureRateThreshold(FAILURE_PERCENT)
                        .waitDurationInOpenState(PAUSE)
                        .permittedNumberOfCallsInHalfOpenState(1)
                        .clock(clock)
                        .build());
    }

    /** Returns whether a call may be sent now. A permitted call must be reported as answered or unanswered. */
    public boolean permits(long nowNanos) {
        boolean permitted = breaker.tryAcquirePermission();
        if (permitted && !isClosed()) {
            pauseFrom(nowNanos); // other calls do not wait for the probe
        }
        return permitted;
    }

    /**
     * Returns whether calls are failed without being queued: in the 250 ms after the breaker opened or sent a probe.
     */
    public boolean isPaused(LongSupplier nanoTime) {
        return !isClosed() && nanoTime.getAsLong() - pausedUntilNanos < 0;
    }

    public void answered(long sentNanos, long nowNanos) {
        breaker.onSuccess(nowNanos - sentNanos, TimeUnit.NANOSECONDS);
    }

    public void unanswered(long sentNanos, long nowNanos, Throwable failure) {
        long last = lastFailureNanos.get();
        if (sentNanos - last > 0 && lastFailureNanos.compareAndSet(last, nowNanos)) {
            breaker.onError(nowNanos - sentNanos, TimeUnit.NANOSECONDS, failure);
            if (!isClosed()) {
                pauseFrom(nowNanos);
            }
        } else {
            breaker.releasePermission();
        }
    }

    /** Sends the next call as a probe, if the breaker is open, because the node accepts connections again. */
    public void reconnected(long nowNanos) {
        if (state() == CircuitBreaker.State.OPEN) {
            breaker.transitionToHalfOpenState();
            pausedUntilNanos = nowNanos;
        }
    }

    /** Returns closed, open or half open. Without a reconnection it stays open after the pause until a call is sent as a probe. */
    public CircuitBreaker.State state() {
        return breaker.getState();
    }

    private boolean isClosed() {
        return state() == CircuitBreaker.State.CLOSED;
    }

    private void pauseFrom(long nowNanos) {
        pausedUntilNanos = nowNanos + PAUSE.toNanos();
    }
}
