package io.ratelimit.spring.internal.method;

import io.ratelimit.Decision;
import io.ratelimit.internal.Stages;
import io.ratelimit.spring.internal.rule.Ending;
import io.ratelimit.spring.internal.rule.OpenCall;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Methods that return a {@code CompletionStage}: the caller does not wait for the decision. */
final class StageReturn {

    private StageReturn() {}

    static boolean isOf(Class<?> returned) {
        return returned == CompletionStage.class || returned == CompletableFuture.class;
    }

    /**
     * Returns a stage that completes as the method's does once the call is admitted, or fails as the decision did. A caller that
     * completes it before, as a timeout does, waits no longer, is not charged, and the method does not run.
     */
    static CompletionStage<?> of(LimitedCall call, CompletionStage<Decision> decision, OpenCall open) {
        CompletableFuture<Object> result = endingWith(open);
        decision.whenComplete((decided, failure) -> {
            if (result.isDone()) {
                return;
            }
            if (failure != null) {
                end(result, open, null, call.method().forClients(Stages.unwrap(failure)));
            } else {
                try {
                    forward(call.goOn(decided), result, open);
                } catch (Throwable failed) {
                    end(result, open, null, failed);
                }
            }
        });
        // has no effect once there is a decision
        result.whenComplete((value, failure) -> decision.toCompletableFuture().cancel(false));
        return result;
    }

    /** Returns a stage that completes as the one of an admitted call does. */
    static @Nullable Object of(@Nullable Object returned, OpenCall open) {
        if (!open.isSettledLater() || !(returned instanceof CompletionStage<?>)) {
            return ending(returned, open);
        }
        CompletableFuture<Object> result = endingWith(open);
        forward(returned, result, open);
        return result;
    }

    /** Ends the call with what the method has returned: a stage, maybe of a type of its own, or at once if that is none. */
    static @Nullable Object ending(@Nullable Object returned, OpenCall open) {
        if (open.isSettledLater() && returned instanceof CompletionStage<?> stage) {
            stage.whenComplete((value, failure) -> open.close(endingByCaller(stage, value, failure)));
        } else {
            open.close(Ending.returned(returned));
        }
        return returned;
    }

    /** The call ends, too, if its caller completes what it was given. */
    private static CompletableFuture<Object> endingWith(OpenCall open) {
        CompletableFuture<Object> result = new CompletableFuture<>();
        result.whenComplete((value, failure) -> open.close(endingByCaller(result, value, failure)));
        return result;
    }

    /** Ends the call first: those who wait for the result may call again at once, and find free what this call took. */
    private static void end(
            CompletableFuture<Object> result, OpenCall open, @Nullable Object value, @Nullable Throwable failure) {
        if (result.isDone()) {
            return;
        }
        try {
            open.close(ending(value, failure));
        } finally {
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        }
    }

    /** A stage that was not cancelled itself may fail because one was that it depends on, which is the method's own matter. */
    private static Ending endingByCaller(
            CompletionStage<?> stage, @Nullable Object value, @Nullable Throwable failure) {
        return stage instanceof Future<?> future && future.isCancelled()
                ? Ending.cancelled(null)
                : ending(value, failure);
    }

    private static Ending ending(@Nullable Object value, @Nullable Throwable failure) {
        return failure == null ? Ending.returned(value) : Ending.failed(null, failure);
    }

    private static void forward(@Nullable Object returned, CompletableFuture<Object> result, OpenCall open) {
        if (!(returned instanceof CompletionStage<?> stage)) {
            end(result, open, returned, null);
            return;
        }
        stage.whenComplete((value, failure) -> end(result, open, value, failure));
        result.whenComplete((value, failure) -> {
            if (result.isCancelled() && stage instanceof Future<?> future) {
                future.cancel(true);
            }
        });
    }
}
