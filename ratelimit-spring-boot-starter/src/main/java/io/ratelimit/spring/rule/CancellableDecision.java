package io.ratelimit.spring.rule;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Stages;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Decisions for callers that may leave before the decision is there. */
public final class CancellableDecision {

    private CancellableDecision() {}

    /**
     * Decides. What is charged is given back if the returned future is cancelled first.
     *
     * @param handOver moves the decision to the thread that goes on with it
     */
    public static CompletableFuture<Decision> of(
            RateLimiter limiter, Acquisition acquisition, UnaryOperator<CompletionStage<Decision>> handOver) {
        CompletableFuture<Decision> result = new CompletableFuture<>();
        handOver.apply(Stages.call(() -> limiter.acquireAsync(acquisition))).whenComplete((decision, failure) -> {
            if (failure != null) {
                result.completeExceptionally(Stages.unwrap(failure));
            } else if (!result.complete(decision)) {
                limiter.refundAsync(acquisition, decision);
            }
        });
        return result;
    }
}
