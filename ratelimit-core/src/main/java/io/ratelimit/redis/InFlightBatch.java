package io.ratelimit.redis;

import io.ratelimit.StoreListener.Outcome;
import io.ratelimit.StoreListener.RoundTrip;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A batch that was sent to a node, with the future of its reply. Thread-safe. */
record InFlightBatch(Batch batch, Node node, long sentNanos, CompletableFuture<byte[]> reply) {

    RoundTrip roundTrip(long nowNanos, Outcome outcome) {
        return new RoundTrip(batch.calls.size(), batch.size(), Duration.ofNanos(nowNanos - sentNanos), outcome);
    }

    /** Returns whether any of its calls still waits at that time. A late refund waits for its answer for the timeout only. */
    boolean isAwaited(long nowNanos, Duration timeout) {
        boolean isLate = nowNanos - sentNanos >= timeout.toNanos();
        return batch.calls.stream()
                .anyMatch(call -> !call.isAbandoned() && !call.isOverdue(nowNanos) && !(isLate && call.isLateRefund));
    }
}
