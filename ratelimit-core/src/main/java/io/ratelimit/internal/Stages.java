package io.ratelimit.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Helpers for stages; the only place that unwraps a {@link CompletionException}. */
public final class Stages {

    /** True while a thread starts a call that it will wait for. */
    private static final ThreadLocal<Boolean> CALLER_WAITS = ThreadLocal.withInitial(() -> false);

    private Stages() {}

    /**
     * Starts the call, waits for its stage and returns the result. If the stage fails, throws the cause without the
     * wrapping exception. A store may complete such a call on any thread, because only this thread depends on it.
     */
    public static <T> T await(Supplier<? extends CompletionStage<T>> call) {
        try {
            CompletableFuture<T> stage = startForWaiting(call).toCompletableFuture();
            if (stage.isCompletedExceptionally() && failure(stage) instanceof RuntimeException failed) {
                throw failed; // join() would take a stack trace for each call of an outage
            }
            return stage.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    private static Throwable failure(CompletableFuture<?> stage) {
        return unwrap(stage.handle((value, failure) -> failure).join());
    }

    /** Returns whether this thread is starting a call for {@link #await}. */
    public static boolean callerWaits() {
        return CALLER_WAITS.get();
    }

    /** Starts a call that this thread will wait for, as {@link #await} does. */
    public static <S extends CompletionStage<?>> S startForWaiting(Supplier<S> call) {
        return start(true, call);
    }

    /** Starts a call whose stage may get callbacks, even if this thread waits for a stage that depends on it. */
    public static <S extends CompletionStage<?>> S startForCallbacks(Supplier<S> call) {
        return start(false, call);
    }

    private static <S extends CompletionStage<?>> S start(boolean callerWaits, Supplier<S> call) {
        boolean before = callerWaits();
        if (before == callerWaits) {
            return call.get();
        }
        CALLER_WAITS.set(callerWaits);
        try {
            return call.get();
        } finally {
            CALLER_WAITS.set(before);
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
