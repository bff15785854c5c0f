package io.ratelimit.stack;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Deadline;
import java.util.concurrent.CompletionStage;

/**
 * Bounds decisions that may take several calls of the store, those of leased and of sharded limits: each call has the
 * store's timeout, and all of them together have this one. What is charged for a caller who has been told that it is
 * over is given back. Thread-safe.
 */
final class DeadlineRateLimiter implements RateLimiter {

    private final RateLimiter limiter;
    private final Deadline deadline;

    DeadlineRateLimiter(RateLimiter limiter, Deadline deadline) {
        this.limiter = limiter;
        this.deadline = deadline;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        CompletionStage<Decision> asked = limiter.acquireAsync(acquisition);
        return isBoundByStore(acquisition) || asked.toCompletableFuture().isDone()
                ? asked
                : deadline.hold(limiter, acquisition, asked);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return limiter.peekAsync(acquisition);
    }

    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        return limiter.refundAsync(acquisition, decision);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return limiter.resetAsync(limit, subject);
    }

    private static boolean isBoundByStore(Acquisition acquisition) {
        return acquisition.charges().stream()
                .map(charge -> charge.limit())
                .allMatch(limit -> limit.lease() == 1 && limit.shards() == 1);
    }
}
