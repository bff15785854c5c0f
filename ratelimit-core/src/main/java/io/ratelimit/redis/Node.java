package io.ratelimit.redis;

import io.ratelimit.internal.SilenceBreaker;

/** What is known of one Redis node. Thread-safe. */
record Node(RoundTrips roundTrips, SilenceBreaker breaker) {

    Node() {
        this(new RoundTrips(), new SilenceBreaker());
    }

    void answered(long sentNanos, long nowNanos) {
        roundTrips.add(sentNanos, nowNanos);
        breaker.answered(sentNanos, nowNanos);
    }

    void unanswered(long sentNanos, long nowNanos, Throwable failure) {
        breaker.unanswered(sentNanos, nowNanos, failure);
    }
}
