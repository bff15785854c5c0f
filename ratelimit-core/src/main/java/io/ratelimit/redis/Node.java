package io.ratelimit.redis;

import io.ratelimit.internal.SilenceBreaker;

/** The measurements of one Redis node: its round trips and its circuit breaker. Thread-safe. */
record Node(RoundTrips roundTrips, SilenceBreaker breaker) {

    Node() {
        this(new RoundTrips(), new SilenceBreaker());
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
