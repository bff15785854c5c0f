package io.ratelimit.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * The stage of one caller. Completes at once if its caller only waits for it, because then no callback depends on it;
 * else on the executor for callbacks. Thread-safe.
 */
public class CallerFuture<T> extends CompletableFuture<T> {

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<CallerFuture> COMPLETED =
            AtomicIntegerFieldUpdater.newUpdater(CallerFuture.class, "completed");

    private final Executor completions;
    private final boolean callerWaits = Stages.callerWaits();

    /** 1 from the moment at which somebody completes it, which the executor may do later. */
    private volatile int completed;

    /** Of the caller that is on this thread. */
    public CallerFuture(Executor completions) {
        this.completions = completions;
    }

    /** Returns whether this call completed it; false if it was completed or cancelled before. */
    @Override
    public boolean complete(T value) {
        return complete(value, completions);
    }

    /** The same, with another executor for callbacks. */
    public boolean complete(T value, Executor completions) {
        if (isAbandoned() || !COMPLETED.compareAndSet(this, 0, 1)) {
            return false;
        }
        if (callerWaits) {
            return super.complete(value);
        }
        completions.execute(() -> super.complete(value));
        return true;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        if (isAbandoned() || !COMPLETED.compareAndSet(this, 0, 1)) {
            return false;
        }
        if (callerWaits) {
            return super.completeExceptionally(failure);
        }
        completions.execute(() -> super.completeExceptionally(failure));
        return true;
    }

    /** Whether nobody waits for it any more. */
    public boolean isAbandoned() {
        return completed == 1 || isDone();
    }
}
