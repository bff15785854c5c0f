package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Admits everything and counts nothing. The bean that applications get while {@code rate-limiter.enabled} is false. */
final class AdmittingRateLimiter implements RateLimiter {

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return CompletableFuture.completedFuture(Decision.unanswered(acquisition.times()));
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return CompletableFuture.completedFuture(Decision.unanswered(acquisition.times()));
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        return CompletableFuture.completedFuture(null);
    }
}
