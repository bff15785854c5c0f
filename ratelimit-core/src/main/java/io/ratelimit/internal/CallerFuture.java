package io.ratelimit.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;

/**
 * The stage of one caller. It completes on the completing thread if the caller blocks until then, because no callback
 * depends on it. Otherwise it completes on the executor for callbacks. Thread-safe.
 */
public class CallerFuture<T> extends CompletableFuture<T> {

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<CallerFuture> COMPLETED =
            AtomicIntegerFieldUpdater.newUpdater(CallerFuture.class, "completed");

    private static final int CLAIMED = 1;
    private static final int DELIVERED = 2;

    private final Executor completions;
    private final boolean callerWaits = Stages.callerWaits();

    /**
     * 0 until a completion is requested, which the executor may perform later; then {@link #CLAIMED}, and {@link #DELIVERED}
     * once the stages that were made from this one are complete, too.
     */
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
        if (!claim()) {
            return false;
        }
        if (callerWaits) {
            return delivered(super.complete(value));
        }
        completions.execute(() -> delivered(super.complete(value)));
        return true;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        if (!claim()) {
            return false;
        }
        if (callerWaits) {
            return delivered(super.completeExceptionally(failure));
        }
        completions.execute(() -> delivered(super.completeExceptionally(failure)));
        return true;
    }

    /** Completes as the other stage does. A value that comes after this one was completed or cancelled is passed on. */
    final void completeAs(CompletionStage<T> other, Consumer<T> undelivered) {
        other.whenComplete((value, failure) -> {
            if (failure != null) {
                completeExceptionally(Stages.unwrap(failure));
            } else if (!complete(value)) {
                undelivered.accept(value);
            }
        });
    }

    /** Cancels the stage unless its completion was requested before, so that its value is not lost. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return isCancelled() || (claim() && cancelClaimed());
    }

    /** Claims the right to complete the stage, which only the first call gets. Returns whether this call got it. */
    protected final boolean claim() {
        return !isAbandoned() && COMPLETED.compareAndSet(this, 0, CLAIMED);
    }

    /** Cancels the stage after {@link #claim}. */
    protected final boolean cancelClaimed() {
        return delivered(super.cancel(false));
    }

    private boolean delivered(boolean done) {
        completed = DELIVERED;
        return done;
    }

    /** Returns whether the stages that were made from this one before it was complete are complete, too. */
    protected final boolean isDelivered() {
        return completed == DELIVERED;
    }

    /** Returns whether the stage is completed or cancelled, or its completion was requested: it needs no decision. */
    public boolean isAbandoned() {
        return completed != 0 || isDone();
    }
}
