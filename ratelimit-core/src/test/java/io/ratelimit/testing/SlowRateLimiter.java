package io.ratelimit.testing;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Answers acquisitions when the test says so. Not thread-safe. */
public final class SlowRateLimiter extends ForwardingRateLimiter {

    private record Asked(Acquisition acquisition, CompletableFuture<Decision> answer) {}

    private final Deque<Asked> asked = new ArrayDeque<>();

    public SlowRateLimiter(RateLimiter limiter) {
        super(limiter);
    }

    public int unanswered() {
        return asked.size();
    }

    /** Decides the oldest pending call. */
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
}
