package io.ratelimit.internal;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Completes the stages of callers on an executor that the application has chosen. The layers inside never use it: a
 * decision of several steps would wait for its threads, which may all wait for decisions. A call that blocks does not use it
 * either. Thread-safe.
 */
public final class CompletingRateLimiter extends ForwardingRateLimiter {

    private final Executor executor;

    public CompletingRateLimiter(RateLimiter limiter, Executor executor) {
        super(limiter);
        this.executor = executor;
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        return limiter.acquire(acquisition);
    }

    /**
     * A caller that cancels its stage gives up the call. A decision that it does not get for that reason is refunded.
     */
    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return onExecutor(limiter.acquireAsync(acquisition), true, decision -> {
            if (decision.allowed()) {
                limiter.refundAsync(acquisition, decision);
            }
        });
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return onExecutor(limiter.peekAsync(acquisition));
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        return onExecutor(limiter.settleAsync(acquisition, decision, actual));
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return onExecutor(limiter.resetAsync(limit, subject));
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        return onExecutor(limiter.banAsync(limit, subject));
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        return onExecutor(limiter.unbanAsync(limit, subject));
    }

    private <T> CompletionStage<T> onExecutor(CompletionStage<T> stage) {
        return onExecutor(stage, false, undelivered -> {});
    }

    private <T> CompletionStage<T> onExecutor(CompletionStage<T> stage, boolean mayGiveUp, Consumer<T> undelivered) {
        if (Stages.callerWaits() || stage.toCompletableFuture().isDone()) {
            return stage;
        }
        AbandonableFuture<T> answer = new AbandonableFuture<>(executor);
        if (mayGiveUp) {
            answer.whenComplete((value, failure) -> {
                if (answer.isCancelled()) {
                    stage.toCompletableFuture().cancel(false);
                }
            });
        }
        answer.completeAs(stage, undelivered);
        return answer;
    }
}
