package io.ratelimit.internal.waiting;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.ForwardingRateLimiter;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.Stages;
import io.ratelimit.internal.StateId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lets calls with an {@link Acquisition#maxWait} wait for quota, and forwards all others. Thread-safe.
 *
 * <p>Calls with the same limits and subjects wait in a line. Only the first one makes attempts at the store: at the
 * time when it fits by its last refusal, when a call of the same states is settled here, and every second while this
 * process decides by itself because the store does not answer. The decision that admits a call charges it, so waiting
 * admits nothing extra. A call that joins behind others first peeks when all of them and itself would fit, and is
 * refused if that is too late. If other callers then take the quota, it is refused when its time is over.
 *
 * <p>Example: one a second, and three calls that may wait for 2 s come at once after an admitted one. The first two are
 * admitted after 1 s and 2 s. The third is refused at once, with a {@code retryAfter} of 3 s.
 */
public final class WaitingRateLimiter extends ForwardingRateLimiter implements AutoCloseable {

    private static final Duration CLOSING = Duration.ofSeconds(1);

    private final WaitingCalls calls;

    /**
     * @param scheduler makes the next attempt when a call is expected to fit
     * @param completions completes the stages of calls that have waited
     */
    public WaitingRateLimiter(RateLimiter limiter, Scheduler scheduler, LongSupplier nanoTime, Executor completions) {
        super(limiter);
        this.calls = new WaitingCalls(limiter, scheduler, nanoTime, completions);
    }

    /** Returns how many calls wait now. */
    public long waiting() {
        return calls.size();
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        if (acquisition.maxWait().isZero()) {
            return limiter.acquire(acquisition);
        }
        Waiter waiter = Stages.startForWaiting(() -> calls.start(acquisition));
        try {
            waiter.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            calls.decideSoon(waiter);
        } catch (ExecutionException failed) {
            // thrown below, without the wrapping exception
        }
        return Stages.await(() -> waiter);
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return acquisition.maxWait().isZero() ? limiter.acquireAsync(acquisition) : calls.start(acquisition);
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        return calls.attemptAfter(limiter.settleAsync(acquisition, decision, actual), acquisition);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        return limiter.resetAsync(limit, subject)
                .whenComplete((done, failure) -> calls.attemptFor(StateId.of(limit, subject)));
    }

    /**
     * Decides all calls that wait, and returns when that is done, after a second at most. Once the store is closed, the
     * failure policy would decide them instead. Later calls do not wait.
     */
    @Override
    public void close() {
        List<Waiter> waiting = calls.decideAll();
        CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new))
                .handle((done, failure) -> true)
                .completeOnTimeout(false, CLOSING.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }
}
