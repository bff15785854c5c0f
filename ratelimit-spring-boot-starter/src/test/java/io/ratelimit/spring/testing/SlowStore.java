package io.ratelimit.spring.testing;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.ForwardingRateLimiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** A limiter whose one thread, as that of a Redis client, completes all decisions: as soon as the test lets it. */
public final class SlowStore extends ForwardingRateLimiter implements AutoCloseable {

    public static final String THREAD = "store";

    private final ExecutorService thread = Executors.newSingleThreadExecutor(new CustomizableThreadFactory(THREAD));
    private final Semaphore answers = new Semaphore(0);
    private final AtomicInteger refunds = new AtomicInteger();

    public SlowStore() {
        super(InMemoryRateLimiter.create());
    }

    /** Lets it answer that many calls. */
    public void answer(int calls) {
        answers.release(calls);
    }

    /** Whether a call waits for its answer. */
    public boolean isAsked() {
        return answers.hasQueuedThreads();
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return CompletableFuture.supplyAsync(
                () -> {
                    answers.acquireUninterruptibly();
                    return limiter.acquire(acquisition);
                },
                thread);
    }

    /** How often something was given back. */
    public int refunds() {
        return refunds.get();
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        CompletionStage<Void> refund = super.settleAsync(acquisition, decision, actual);
        refunds.incrementAndGet();
        return refund;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
