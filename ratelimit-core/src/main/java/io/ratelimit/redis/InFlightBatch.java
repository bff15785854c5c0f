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

    /**
     * Returns whether the time of any of its calls is not over; of a late refund, whether the timeout is not. A call whose
     * caller has cancelled it counts, too: that does not mean that the node is silent.
     */
    boolean isAwaited(long nowNanos, Duration timeout) {
        boolean isLate = nowNanos - sentNanos >= timeout.toNanos();
        return batch.calls.stream().anyMatch(call -> !call.isOverdue(nowNanos) && !(isLate && call.isLateRefund));
    }
}
