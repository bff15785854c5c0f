package io.ratelimit.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Helpers for stages; the only place that unwraps a {@link CompletionException}. */
public final class Stages {

    private Stages() {}

    /** Waits for the stage and throws what it failed with, without the wrapping exception. */
    public static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    /** Returns the cause of a {@link CompletionException}, any other failure as it is. */
    public static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Calls, and turns an exception thrown by the call into a failed stage. */
    public static <T> CompletionStage<T> call(Supplier<? extends CompletionStage<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }
}
