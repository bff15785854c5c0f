package io.ratelimit.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Helpers for stages; the only place that unwraps a {@link CompletionException}. */
public final class Stages {

    private Stages() {}

    /** Starts the call and waits for its stage. If that fails, throws the cause without the wrapping exception. */
    public static <T> T await(Supplier<? extends CompletionStage<T>> call) {
        try {
            return call.get().toCompletableFuture().join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    /** Returns the cause of a {@link CompletionException}, and any other failure unchanged. */
    public static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Starts the call. If it throws, returns a failed stage. */
    public static <T> CompletionStage<T> call(Supplier<? extends CompletionStage<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }
}
