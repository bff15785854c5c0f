package io.ratelimit.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The stage of a caller that may give up: cancelling it, or a stage that was made from it, has an effect until its
 * completion is requested. Thread-safe.
 */
public class AbandonableFuture<T> extends CallerFuture<T> {

    /** Creates the stage of the caller on the current thread. */
    public AbandonableFuture(Executor completions) {
        super(completions);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Following<>(this);
    }

    /** A stage that was made from the caller's. */
    private static final class Following<U> extends CompletableFuture<U> {

        private final AbandonableFuture<?> origin;

        Following(AbandonableFuture<?> origin) {
            this.origin = origin;
        }

        /** Does nothing while a decision is on its way to this stage, so that what was charged is not lost. */
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            if (origin.isDelivered()) {
                return super.cancel(mayInterruptIfRunning);
            }
            if (!origin.claim()) {
                return false;
            }
            origin.cancelClaimed(); // first, so that the stages in between complete as they do after any failure
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
