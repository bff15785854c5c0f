package io.ratelimit.redis;

import io.ratelimit.internal.SilenceBreaker;

/** The measurements of one Redis node: its round trips, its circuit breaker and its clock. Thread-safe. */
record Node(RoundTrips roundTrips, SilenceBreaker breaker, StoreClock clock) {

    Node() {
        this(new RoundTrips(), new SilenceBreaker(), new StoreClock());
    }

    BreakerState breakerState() {
        return switch (breaker.state()) {
            case CLOSED -> BreakerState.CLOSED;
            case HALF_OPEN -> BreakerState.HALF_OPEN;
            default -> BreakerState.OPEN;
        };
    }

    void reconnected() {
        breaker.reconnected(System.nanoTime());
    }

    void answered(long sentNanos, long nowNanos) {
        roundTrips.add(sentNanos, nowNanos);
        breaker.answered(sentNanos, nowNanos);
    }

    void unanswered(long sentNanos, long nowNanos, Throwable failure) {
        breaker.unanswered(sentNanos, nowNanos, failure);
    }
}
