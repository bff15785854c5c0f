package io.ratelimit.internal;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * For decisions that take several calls of a store: bounds all of them together. Immutable and thread-safe.
 *
 * @param timeout of all calls together
 */
public record Deadline(Duration timeout) {

    /**
     * The decision, or after the timeout a {@link StoreUnavailableException}. What is admitted after that is given back,
     * for its caller has been told that it is over.
     *
     * @param limiter takes back what comes too late
     */
    public CompletionStage<Decision> hold(
            RateLimiter limiter, Acquisition acquisition, CompletionStage<Decision> asked) {
        CompletableFuture<Decision> answer = new CompletableFuture<>();
        asked.whenComplete((decision, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else if (!answer.complete(decision) && decision.allowed()) {
                limiter.refundAsync(acquisition, decision);
            }
        });
        return answer.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof TimeoutException
                                ? new StoreUnavailableException(
                                        "the store did not answer within %d ms".formatted(timeout.toMillis()), failure)
                                : failure));
    }
}
