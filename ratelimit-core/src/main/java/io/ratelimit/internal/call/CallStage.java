package io.ratelimit.internal.call;

import java.util.concurrent.CompletableFuture;

/**
 * The stage of a caller that may give its call up: cancelling the stage, or one that was made from it, does so until the
 * stage has its decision. Thread-safe.
 */
final class CallStage<T> extends CompletableFuture<T> {

    private final Runnable giveUp;

    /** Whether the stages that were made from this one before it was complete are complete, too. */
    private volatile boolean delivered;

    CallStage(Runnable giveUp) {
        this.giveUp = giveUp;
    }

    @Override
    public boolean complete(T value) {
        boolean completed = super.complete(value);
        delivered = true;
        return completed;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        boolean completed = super.completeExceptionally(failure);
        delivered = true;
        return completed;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean before = isDone();
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        delivered = true;
        if (cancelled && !before) {
            giveUp.run();
        }
        return cancelled;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Following<>(this);
    }

    /** A stage that was made from the caller's. */
    private static final class Following<U> extends CompletableFuture<U> {

        private final CallStage<?> origin;

        Following(CallStage<?> origin) {
            this.origin = origin;
        }

        /** Does nothing while a decision is on its way to this stage, so that what was charged is not lost. */
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            if (origin.delivered) {
                return super.cancel(mayInterruptIfRunning);
            }
            if (!origin.cancel(
                    mayInterruptIfRunning)) { // first, so that the stages in between complete as after any failure
                return false;
            }
            super.cancel(mayInterruptIfRunning);
            return isCancelled();
        }

        @Override
        public boolean isCancelled() {
            return super.isCancelled() || (isCompletedExceptionally() && origin.isCancelled());
        }

        @Override
        public <V> CompletableFuture<V> newIncompleteFuture() {
            return new Following<>(origin);
        }
    }
}
