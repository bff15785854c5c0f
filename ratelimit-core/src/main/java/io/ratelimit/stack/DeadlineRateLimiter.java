package io.ratelimit.stack;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Deadline;
import io.ratelimit.internal.ForwardingRateLimiter;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Bounds decisions that may take several store calls: those of limits with leases or shards. Each store call has its
 * own timeout, and this one bounds all of them together. What is charged for a caller that has timed out is refunded.
 * Acquisitions of other limits go to the store directly. Thread-safe.
 */
final class DeadlineRateLimiter extends ForwardingRateLimiter {

    private final RateLimiter store;
    private final Deadline deadline;

    /**
     * @param limiter leases and shards in front of the store
     * @param store decides acquisitions of limits that have neither
     */
    DeadlineRateLimiter(RateLimiter limiter, RateLimiter store, Deadline deadline) {
        super(limiter);
        this.store = store;
        this.deadline = deadline;
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        return isBoundByStore(acquisition) ? store.acquire(acquisition) : super.acquire(acquisition);
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        if (isBoundByStore(acquisition)) {
            return store.acquireAsync(acquisition);
        }
        CompletionStage<Decision> decided = limiter.acquireAsync(acquisition);
        return decided.toCompletableFuture().isDone() ? decided : deadline.hold(limiter, acquisition, decided);
    }

    private static boolean isBoundByStore(Acquisition acquisition) {
        List<Charge> charges = acquisition.charges();
        for (int i = 0; i < charges.size(); i++) {
            Limit limit = charges.get(i).limit();
            if (limit.lease() > 1 || limit.shards() > 1) {
                return false;
            }
        }
        return true;
    }
}
