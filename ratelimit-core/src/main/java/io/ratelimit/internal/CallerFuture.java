package io.ratelimit.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The stage of one caller. Completes at once if its caller only waits for it, because then no callback depends on it;
 * else on the executor for callbacks. Thread-safe.
 */
public class CallerFuture<T> extends CompletableFuture<T> {

    private final Executor completions;
    private final AtomicBoolean completed = new AtomicBoolean();

    /** Of the caller that is on this thread. */
    public CallerFuture(Executor completions) {
        this.completions = Stages.callerWaits() ? Runnable::run : completions;
    }

    /** Returns whether this call completed it; false if it was completed or cancelled before. */
    @Override
    public boolean complete(T value) {
        if (isAbandoned() || !completed.compareAndSet(false, true)) {
            return false;
        }
        completions.execute(() -> super.complete(value));
        return true;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        if (isAbandoned() || !completed.compareAndSet(false, true)) {
            return false;
        }
        completions.execute(() -> super.completeExceptionally(failure));
        return true;
    }

    /** Whether nobody waits for it any more. */
    public boolean isAbandoned() {
        return completed.get() || isDone();
    }
}
