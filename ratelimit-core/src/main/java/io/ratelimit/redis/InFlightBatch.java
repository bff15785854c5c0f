package io.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A batch that has left, and the reply to it. Thread-safe. */
record InFlightBatch(Batch batch, CompletableFuture<byte[]> reply) {

    private static final int LATE_TIMEOUTS = 10;

    /** Whether any of its callers still waits at that time. */
    boolean isAwaited(long nowNanos) {
        return batch.asks.stream().anyMatch(ask -> !ask.isAbandoned() && !ask.isOverdue(nowNanos));
    }

    /**
     * The reply counts for ten timeouts more, for it tells what has to go back. Not without end: a Cluster sends again
     * what was not cancelled when a master is replaced.
     */
    void giveUp(Duration timeout) {
        reply.orTimeout(LATE_TIMEOUTS * timeout.toNanos(), TimeUnit.NANOSECONDS);
    }
}
