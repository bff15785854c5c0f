package io.ratelimit.testing;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Answers acquisitions when the test says so. Not thread-safe. */
public final class SlowRateLimiter implements RateLimiter {

    private record Asked(Acquisition acquisition, CompletableFuture<Decision> answer) {}

    private final Deque<Asked> asked = new ArrayDeque<>();
    private final RateLimiter limiter;

    public SlowRateLimiter(RateLimiter limiter) {
        this.limiter = limiter;
    }

    public int unanswered() {
        return asked.size();
    }

    /** Decides what was asked first. */
    public void answer() {
        Asked first = asked.remove();
        first.answer.complete(limiter.acquire(first.acquisition));
    }

    public void fail(RuntimeException failure) {
        asked.remove().answer.completeExceptionally(failure);
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        CompletableFuture<Decision> answer = new CompletableFuture<>();
        asked.add(new Asked(acquisition, answer));
        return answer;
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return limiter.peekAsync(acquisition);
    }

    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        return limiter.refundAsync(acquisition, decision);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return limiter.resetAsync(limit, subject);
    }
}
