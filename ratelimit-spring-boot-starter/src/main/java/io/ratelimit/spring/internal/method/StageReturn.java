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

    /** Returns a stage that completes as the method's does once the call is admitted, or fails as the decision did. */
    static CompletionStage<?> of(LimitedCall call, CompletionStage<Decision> decision, OpenCall open) {
        CompletableFuture<Object> result = new CompletableFuture<>();
        decision.whenComplete((decided, failure) -> {
            if (failure != null) {
                result.completeExceptionally(call.method().forClients(Stages.unwrap(failure)));
            } else {
                try {
                    forward(call.goOn(decided), result);
                } catch (Throwable failed) {
                    result.completeExceptionally(failed);
                }
            }
        });
        result.whenComplete((value, failure) -> {
            if (result.isCancelled()) {
                decision.toCompletableFuture().cancel(false);
            }
            open.close(ending(value, failure));
        });
        return result;
    }

    /** Ends the call with the stage that the method has returned, or at once if that is none. */
    static @Nullable Object ending(@Nullable Object returned, OpenCall open) {
        if (open.isSettledLater() && returned instanceof CompletionStage<?> stage) {
            stage.whenComplete((value, failure) -> open.close(ending(value, failure)));
        } else {
            open.close(Ending.returned(returned));
        }
        return returned;
    }

    private static Ending ending(@Nullable Object value, @Nullable Throwable failure) {
        return failure == null ? Ending.returned(value) : Ending.failed(null, failure);
    }

    private static void forward(@Nullable Object returned, CompletableFuture<Object> result) {
        if (!(returned instanceof CompletionStage<?> stage)) {
            result.complete(returned);
            return;
        }
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        });
        result.whenComplete((value, failure) -> {
            if (result.isCancelled() && stage instanceof Future<?> future) {
                future.cancel(true);
            }
        });
    }
}
