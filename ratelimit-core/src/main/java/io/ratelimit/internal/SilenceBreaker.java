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
 * Stops asking a node that does not answer, so that callers do not wait for the timeout again and again and the node is
 * left alone while it recovers. Thread-safe, and has no thread of its own.
 *
 * <p>It counts calls of the node, not callers: a call that is answered is a success, also if the answer is an error.
 * Calls that were sent before a failure was noticed belong to the same silence and count with it as one. Four of the
 * last five outcomes must be failures for the breaker to open, so that a silence of 110 ms opens nothing, and a node that
 * stays silent is given up after four or five timeouts. After 250 ms the next call is sent as a probe; if it is answered,
 * all are sent again.
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

    /** Whether a call may be sent now. One that was permitted must be reported as answered or unanswered. */
    public boolean permits(long nowNanos) {
        boolean permitted = breaker.tryAcquirePermission();
        if (permitted && !isClosed()) {
            pauseFrom(nowNanos); // nobody waits for the probe
        }
        return permitted;
    }

    /** Whether calls need not even be tried: in the 250 ms after the breaker opened, and after a probe was sent. */
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

    private boolean isClosed() {
        return breaker.getState() == CircuitBreaker.State.CLOSED;
    }

    private void pauseFrom(long nowNanos) {
        pausedUntilNanos = nowNanos + PAUSE.toNanos();
    }
}
