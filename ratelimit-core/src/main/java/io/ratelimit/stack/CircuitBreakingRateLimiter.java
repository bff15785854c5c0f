package io.ratelimit.stack;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Stages;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stops asking a store that fails, so that callers do not wait for the timeout again and again and the store is left
 * alone while it recovers. Thread-safe, and has no thread of its own.
 *
 * <p>It opens when 80 of the last 100 calls got a {@link StoreUnavailableException}, or 8 in 10 of at least 10 while
 * there were fewer. So neither one slow call nor the loss of one Cluster master in three opens it. While it is open,
 * calls fail at once. After 250 ms the next call is let through as a probe: if that is answered all are, if it fails
 * 250 ms begin anew. The probe is a call like any other, so with little traffic the first call after the store's return
 * is decided by the store already.
 *
 * <p>Stands directly on the store: what is answered from a cache says nothing about the store.
 */
final class CircuitBreakingRateLimiter implements RateLimiter {

    private static final int WINDOW_CALLS = 100;
    private static final int FEWEST_CALLS = 10;
    private static final Duration PAUSE = Duration.ofMillis(250);
    private static final float FAILURE_PERCENT = 80;

    private final RateLimiter store;
    private final CircuitBreaker breaker;

    CircuitBreakingRateLimiter(RateLimiter store) {
        this(store, new SteadyClock());
    }

    CircuitBreakingRateLimiter(RateLimiter store, Clock clock) {
        this.store = store;
        this.breaker = CircuitBreaker.of(
                "ratelimit-store",
                CircuitBreakerConfig.custom()
                        .slidingWindowType(SlidingWindowType.COUNT_BASED)
                        .slidingWindowSize(WINDOW_CALLS)
                        .minimumNumberOfCalls(FEWEST_CALLS)
                        .failureRateThreshold(FAILURE_PERCENT)
                        .waitDurationInOpenState(PAUSE)
                        .permittedNumberOfCallsInHalfOpenState(1)
                        .ignoreException(failure -> !(failure instanceof StoreUnavailableException))
                        .clock(clock)
                        .build());
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return guarded(() -> store.acquireAsync(acquisition));
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return guarded(() -> store.peekAsync(acquisition));
    }

    /** What was not charged needs no store to give it back, so its success would say nothing about the store. */
    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        return decision.allowed() && decision.source() == Decision.Source.STORE
                ? guarded(() -> store.refundAsync(acquisition, decision))
                : store.refundAsync(acquisition, decision);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return guarded(() -> store.resetAsync(limit, subject));
    }

    private <T> CompletionStage<T> guarded(Supplier<CompletionStage<T>> call) {
        if (!breaker.tryAcquirePermission()) {
            return CompletableFuture.failedFuture(
                    new StoreUnavailableException("The store keeps failing and is given a moment before the next try"));
        }
        long start = breaker.getCurrentTimestamp();
        CompletionStage<T> answer;
        try {
            answer = call.get();
        } catch (RuntimeException failure) {
            record(start, failure);
            throw failure;
        }
        return answer.whenComplete((result, failure) -> record(start, failure));
    }

    private void record(long start, @Nullable Throwable failure) {
        long duration = breaker.getCurrentTimestamp() - start;
        if (failure == null) {
            breaker.onSuccess(duration, breaker.getTimestampUnit());
        } else {
            breaker.onError(duration, breaker.getTimestampUnit(), Stages.unwrap(failure));
        }
    }
}
