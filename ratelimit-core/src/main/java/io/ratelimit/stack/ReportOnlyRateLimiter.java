package io.ratelimit.stack;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.ForwardingRateLimiter;
import io.ratelimit.internal.Stages;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides and counts, but refuses nothing, to try limits on real traffic. Logs at most once a second how many calls
 * would have been refused. Thread-safe.
 */
final class ReportOnlyRateLimiter extends ForwardingRateLimiter {

    private static final Logger LOG = LoggerFactory.getLogger(ReportOnlyRateLimiter.class);

    private final AtomicLong refusals = new AtomicLong();
    private final AtomicLong nextLogNanos = new AtomicLong(System.nanoTime());

    ReportOnlyRateLimiter(RateLimiter limiter) {
        super(limiter);
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        try {
            return allowed(limiter.acquire(acquisition));
        } catch (StoreUnavailableException closed) {
            return Decision.unanswered();
        }
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return limiter.acquireAsync(acquisition)
                .handle((decision, failure) ->
                        failure == null ? CompletableFuture.completedFuture(allowed(decision)) : withoutStore(failure))
                .thenCompose(Function.identity());
    }

    /** Settles only what was charged: a refused call that was let through was not. */
    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        boolean charged = decision.limits().stream().noneMatch(LimitStatus::refuses);
        return limiter.settleAsync(acquisition, charged ? decision : refused(decision), actual);
    }

    /** Allows the call even under {@link io.ratelimit.FailurePolicy#CLOSED}, whose failure is a refusal too. */
    private static CompletableFuture<Decision> withoutStore(Throwable failure) {
        return Stages.unwrap(failure) instanceof StoreUnavailableException
                ? CompletableFuture.completedFuture(Decision.unanswered())
                : CompletableFuture.failedFuture(failure);
    }

    private Decision allowed(Decision decision) {
        if (decision.allowed()) {
            return decision;
        }
        report(decision.refusing());
        return new Decision(true, decision.limits(), decision.source(), decision.decidedAt());
    }

    private void report(List<LimitStatus> refusing) {
        refusals.incrementAndGet();
        long due = nextLogNanos.get();
        long now = System.nanoTime();
        if (now - due >= 0 && nextLogNanos.compareAndSet(due, now + TimeUnit.SECONDS.toNanos(1))) {
            LOG.info(
                    "report-only: {} calls would have been refused, the last by {}",
                    refusals.getAndSet(0),
                    refusing.stream().map(status -> status.limit().name()).toList());
        }
    }

    private static Decision refused(Decision decision) {
        return new Decision(false, decision.limits(), decision.source(), decision.decidedAt());
    }
}
