package io.ratelimit.redis;

import java.util.concurrent.CompletableFuture;

/** A batch that was sent to a node, and the reply to it. Thread-safe. */
record InFlightBatch(Batch batch, Node node, long sentNanos, CompletableFuture<byte[]> reply) {

    /** Whether any of its callers still waits at that time. */
    boolean isAwaited(long nowNanos) {
        return batch.asks.stream().anyMatch(call -> !call.isAbandoned() && !call.isOverdue(nowNanos));
    }
}
