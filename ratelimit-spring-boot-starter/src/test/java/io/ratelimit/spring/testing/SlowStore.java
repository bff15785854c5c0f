package io.ratelimit.spring.testing;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** A limiter whose one thread, as that of a Redis client, completes all decisions: as soon as the test lets it. */
public final class SlowStore implements RateLimiter, AutoCloseable {

    public static final String THREAD = "store";

    private final RateLimiter counts = InMemoryRateLimiter.create();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(new CustomizableThreadFactory(THREAD));
    private final Semaphore answers = new Semaphore(0);

    /** Lets it answer that many calls. */
    public void answer(int calls) {
        answers.release(calls);
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return CompletableFuture.supplyAsync(
                () -> {
                    answers.acquireUninterruptibly();
                    return counts.acquire(acquisition);
                },
                thread);
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return counts.peekAsync(acquisition);
    }

    @Override
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        return counts.refundAsync(acquisition, decision);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return counts.resetAsync(limit, subject);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
