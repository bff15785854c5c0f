package io.ratelimit.internal;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Bounds a decision that takes several store calls. Immutable and thread-safe.
 *
 * @param timeout the time that all calls together may take
 * @param scheduler fails the decision after the timeout
 * @param completions completes the stages of callers that got no decision in time
 */
public record Deadline(Duration timeout, ScheduledExecutorService scheduler, Executor completions) {

    /**
     * Returns a stage that completes with the decision, or fails with {@link StoreUnavailableException} after the
     * timeout. A decision that arrives later, or after the stage or one that was made from it is cancelled, is refunded,
     * because its caller has not got it.
     *
     * @param limiter refunds late decisions
     */
    public CompletionStage<Decision> hold(
            RateLimiter limiter, Acquisition acquisition, CompletionStage<Decision> decided) {
        AbandonableFuture<Decision> answer = new AbandonableFuture<>(completions);
        Future<?> timer = scheduler.schedule(
                () -> answer.completeExceptionally(new StoreUnavailableException(
                        "the store did not answer within %d ms".formatted(timeout.toMillis()))),
                timeout.toNanos(),
                TimeUnit.NANOSECONDS);
        decided.whenComplete((decision, failure) -> timer.cancel(false));
        answer.completeAs(decided, late -> {
            if (late.allowed()) {
                limiter.refundAsync(acquisition, late);
            }
        });
        return answer;
    }
}
