package io.ratelimit.redis;

import java.util.concurrent.CompletableFuture;

/** A batch that was sent to a node, with the future of its reply. Thread-safe. */
record InFlightBatch(Batch batch, Node node, long sentNanos, CompletableFuture<byte[]> reply) {

    /** Returns whether any of its callers still waits at that time. */
    boolean isAwaited(long nowNanos) {
        return batch.asks.stream().anyMatch(call -> !call.isAbandoned() && !call.isOverdue(nowNanos));
    }
}
