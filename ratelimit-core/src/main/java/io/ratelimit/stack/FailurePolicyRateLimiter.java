package io.ratelimit.stack;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Stages;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * Decides calls that the store does not answer, by the {@link FailurePolicy} of the acquisition or else of the limiter.
 * What {@link FailurePolicy#LOCAL} admits is never charged to the store later. Logs once when an outage begins and once
 * when it ends. Thread-safe.
 */
final class FailurePolicyRateLimiter implements RateLimiter {

    private final RateLimiter store;
    private final RateLimiter local;
    private final FailurePolicy policy;
    private final OutageLog outage;

    /**
     * Decides by {@code store}, and while that fails by {@code policy}.
     *
     * @param local decides under {@link FailurePolicy#LOCAL}
     * @param outage is notified of every answer and failure of the store
     */
    FailurePolicyRateLimiter(RateLimiter store, RateLimiter local, FailurePolicy policy, OutageLog outage) {
        this.store = store;
        this.local = local;
        this.policy = policy;
        this.outage = outage;
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        try {
            Decision decision = store.acquire(acquisition);
            outage.storeAnswered();
            return decision;
        } catch (StoreUnavailableException unavailable) {
            return Stages.await(() -> withoutStore(acquisition, RateLimiter::acquireAsync, unavailable));
        }
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
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        return switch (decision.source()) {
            case STORE -> store.settleAsync(acquisition, decision, actual);
            case LOCAL -> local.settleAsync(acquisition, decision, actual);
            case NONE -> CompletableFuture.completedFuture(null);
        };
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return local.resetAsync(limit, subject).thenCompose(done -> store.resetAsync(limit, subject));
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        return local.banAsync(limit, subject).thenCompose(done -> store.banAsync(limit, subject));
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        return local.unbanAsync(limit, subject).thenCompose(done -> store.unbanAsync(limit, subject));
    }

    private CompletionStage<Decision> decide(
            Acquisition acquisition, BiFunction<RateLimiter, Acquisition, CompletionStage<Decision>> operation) {
        return noted(operation.apply(store, acquisition))
                .exceptionallyCompose(failure -> Stages.unwrap(failure) instanceof StoreUnavailableException unavailable
                        ? withoutStore(acquisition, operation, unavailable)
                        : CompletableFuture.failedStage(failure));
    }

    /**
     * Reports answers to the outage log, but only in an outage, because each further stage costs a tenth of a decision.
     */
    private CompletionStage<Decision> noted(CompletionStage<Decision> decided) {
        return outage.isUnderWay()
                ? decided.thenApply(decision -> {
                    outage.storeAnswered();
                    return decision;
                })
                : decided;
    }

    private CompletionStage<Decision> withoutStore(
            Acquisition acquisition,
            BiFunction<RateLimiter, Acquisition, CompletionStage<Decision>> operation,
            StoreUnavailableException unavailable) {
        outage.storeFailed(unavailable);
        return switch (acquisition.onStoreFailure().orElse(policy)) {
            case LOCAL ->
                operation.apply(local, acquisition).thenApply(decision -> decision.from(Decision.Source.LOCAL));
            case OPEN -> CompletableFuture.completedFuture(Decision.unanswered(acquisition.times()));
            case CLOSED -> throw unavailable;
        };
    }
}
