package io.ratelimit.decorator;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers while the store does not, by the {@link FailurePolicy} of the acquisition or else the limiter's own. What
 * {@link FailurePolicy#LOCAL} admits is never charged to the store later. Says once when an outage begins, and once
 * when it ends. Thread-safe.
 */
public final class FailurePolicyRateLimiter implements RateLimiter {

    private static final Logger LOG = LoggerFactory.getLogger(FailurePolicyRateLimiter.class);

    private final RateLimiter store;
    private final RateLimiter local;
    private final FailurePolicy policy;
    private final AtomicBoolean outage = new AtomicBoolean();

    /**
     * Decides by {@code store}, and while that fails by {@code policy}.
     *
     * @param local decides under {@link FailurePolicy#LOCAL}
     */
    public FailurePolicyRateLimiter(RateLimiter store, RateLimiter local, FailurePolicy policy) {
        this.store = store;
        this.local = local;
        this.policy = policy;
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return decide(acquisition, RateLimiter::acquireAsync);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return decide(acquisition, RateLimiter::peekAsync);
    }

    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        return switch (decision.source()) {
            case STORE -> store.refundAsync(acquisition, decision);
            case LOCAL -> local.refundAsync(acquisition, decision.from(Decision.Source.STORE));
            case NONE -> CompletableFuture.completedFuture(null);
        };
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return local.resetAsync(limit, subject).thenCompose(done -> store.resetAsync(limit, subject));
    }

    private CompletionStage<Decision> decide(
            Acquisition acquisition, BiFunction<RateLimiter, Acquisition, CompletionStage<Decision>> operation) {
        return operation
                .apply(store, acquisition)
                .<CompletionStage<Decision>>handle((decision, failure) -> {
                    if (failure == null) {
                        storeAnswered();
                        return CompletableFuture.completedFuture(decision);
                    }
                    if (unwrapped(failure) instanceof StoreUnavailableException unavailable) {
                        return withoutStore(acquisition, operation, unavailable);
                    }
                    return CompletableFuture.failedFuture(failure);
                })
                .thenCompose(Function.identity());
    }

    private CompletionStage<Decision> withoutStore(
            Acquisition acquisition,
            BiFunction<RateLimiter, Acquisition, CompletionStage<Decision>> operation,
            StoreUnavailableException unavailable) {
        storeFailed(unavailable);
        return switch (acquisition.onStoreFailure().orElse(policy)) {
            case LOCAL ->
                operation.apply(local, acquisition).thenApply(decision -> decision.from(Decision.Source.LOCAL));
            case OPEN -> CompletableFuture.completedFuture(Decision.unanswered());
            case CLOSED -> CompletableFuture.failedFuture(unavailable);
        };
    }

    private void storeAnswered() {
        if (outage.get() && outage.compareAndSet(true, false)) {
            LOG.info("The rate limiter's store answers again: limits are shared and exact as before");
        }
    }

    private void storeFailed(StoreUnavailableException unavailable) {
        if (outage.compareAndSet(false, true)) {
            LOG.warn(
                    "The rate limiter's store does not answer, on-store-failure decides: {}", unavailable.getMessage());
        }
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
