package io.ratelimit.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * The stage of one caller. It completes on the completing thread if the caller blocks until then, because no callback
 * depends on it. Otherwise it completes on the executor for callbacks. Thread-safe.
 */
public class CallerFuture<T> extends CompletableFuture<T> {

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<CallerFuture> COMPLETED =
            AtomicIntegerFieldUpdater.newUpdater(CallerFuture.class, "completed");

    private final Executor completions;
    private final boolean callerWaits = Stages.callerWaits();

    /** 1 once a completion was requested; the executor may perform it later. */
    private volatile int completed;

    /** Creates the stage of the caller on the current thread. */
    public CallerFuture(Executor completions) {
        this.completions = completions;
    }

    /** Returns whether this call completes the stage; false if it was completed or cancelled before. */
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

    /** Returns whether the stage needs no decision any more. */
    public boolean isAbandoned() {
        return completed == 1 || isDone();
    }
}
