package io.ratelimit.testing;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Answers when, and as, the test says. */
public final class PendingRateLimiter implements RateLimiter {

    public CompletableFuture<Decision> answer = new CompletableFuture<>();

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return answer;
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return answer;
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        return answer.thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return answer.thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        return answer.thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        return answer.thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Void> capAsync(Limit limit, String subject, long remaining, Duration length) {
        return answer.thenAccept(done -> {});
    }
}
