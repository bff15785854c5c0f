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

    /** A decision that its caller does not get, because it has cancelled its stage meanwhile, is refunded. */
    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return onExecutor(limiter.acquireAsync(acquisition), decision -> {
            if (decision.allowed()) {
                limiter.refundAsync(acquisition, decision);
            }
        });
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return onExecutor(limiter.peekAsync(acquisition), decision -> {});
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        return onExecutor(limiter.settleAsync(acquisition, decision, actual), done -> {});
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return onExecutor(limiter.resetAsync(limit, subject), done -> {});
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        return onExecutor(limiter.banAsync(limit, subject), done -> {});
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        return onExecutor(limiter.unbanAsync(limit, subject), done -> {});
    }

    private <T> CompletionStage<T> onExecutor(CompletionStage<T> stage, Consumer<T> undelivered) {
        if (Stages.callerWaits() || stage.toCompletableFuture().isDone()) {
            return stage;
        }
        HandedOver<T> answer = new HandedOver<>(stage, executor);
        stage.whenComplete((value, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(Stages.unwrap(failure));
            } else if (!answer.complete(value)) {
                undelivered.accept(value);
            }
        });
        return answer;
    }

    /** Cancelling it cancels the stage whose value it waits for, so that the call is not made any more. */
    private static final class HandedOver<T> extends CallerFuture<T> {

        private final CompletionStage<T> stage;

        private HandedOver(CompletionStage<T> stage, Executor executor) {
            super(executor);
            this.stage = stage;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled) {
                stage.toCompletableFuture().cancel(false);
            }
            return cancelled;
        }
    }
}
