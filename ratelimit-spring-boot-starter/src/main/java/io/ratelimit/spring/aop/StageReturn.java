package io.ratelimit.spring.aop;

import io.ratelimit.Decision;
import io.ratelimit.internal.Stages;
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

    /** What to return: completes as the method does once it is admitted, or fails as the decision did. */
    static CompletionStage<?> of(LimitedCall call, CompletionStage<Decision> decision) {
        CompletableFuture<Object> result = new CompletableFuture<>();
        decision.whenComplete((decided, failure) -> {
            if (failure != null) {
                result.completeExceptionally(Stages.unwrap(failure));
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
        });
        return result;
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
