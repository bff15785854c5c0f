package io.ratelimit.spring.aop;

import io.ratelimit.RateLimitExceededException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods that return a {@code Mono} or {@code Flux}: every subscription is a call. Apart, for Reactor is optional. */
final class ReactiveReturn {

    private ReactiveReturn() {}

    static boolean isOf(Class<?> returned) {
        return returned == Mono.class || returned == Flux.class || returned == Publisher.class;
    }

    /**
     * What to return: decides when subscribed to, and only then lets the method run.
     *
     * @param decide fails if the call is refused
     * @param refused what to return instead of a refused call, or it throws
     */
    static Publisher<?> of(
            MethodInvocation invocation,
            Supplier<CompletionStage<Void>> decide,
            Function<RateLimitExceededException, @Nullable Object> refused) {
        Mono<Boolean> decided = Mono.defer(() -> Mono.fromCompletionStage(decide.get()))
                .thenReturn(true)
                .onErrorMap(
                        CompletionException.class,
                        wrapped -> wrapped.getCause() == null ? wrapped : wrapped.getCause());
        // the refusal is answered before the method runs: one that the method itself fails with is not ours
        Mono<Publisher<?>> chosen = decided.<Publisher<?>>map(admitted -> proceed(invocation))
                .onErrorResume(
                        RateLimitExceededException.class,
                        refusal -> Mono.fromSupplier(() -> publisher(refused.apply(refusal))));
        return invocation.getMethod().getReturnType() == Mono.class
                ? chosen.flatMap(Mono::from)
                : chosen.flatMapMany(Flux::from);
    }

    private static Publisher<?> proceed(MethodInvocation invocation) {
        try {
            return publisher(
                    ((ProxyMethodInvocation) invocation).invocableClone().proceed());
        } catch (Throwable failed) {
            return Mono.error(failed);
        }
    }

    private static Publisher<?> publisher(@Nullable Object returned) {
        return returned instanceof Publisher<?> publisher ? publisher : Mono.empty();
    }
}
