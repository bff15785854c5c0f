package io.ratelimit.spring.aop;

import io.ratelimit.Decision;
import io.ratelimit.internal.Stages;
import io.ratelimit.spring.RequestView;
import java.lang.reflect.Method;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * Methods that return a {@code Mono} or {@code Flux}, and {@code suspend} functions, which Spring's proxies turn into
 * one: every subscription is a call. Apart, because Reactor is optional.
 */
final class ReactiveReturn {

    private static final boolean COROUTINES =
            ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", ReactiveReturn.class.getClassLoader());

    private ReactiveReturn() {}

    static boolean isOf(Method method) {
        Class<?> returned = method.getReturnType();
        return returned == Mono.class
                || returned == Flux.class
                || returned == Publisher.class
                || (COROUTINES && KotlinDetector.isSuspendingFunction(method));
    }

    /**
     * What to return: decides when subscribed to, and only then lets the method run.
     *
     * @param request of the calling thread; also what the method calls then belongs to it
     * @param call of the request that a subscription belongs to
     * @param decide decides without blocking
     */
    static Publisher<?> of(
            Method method,
            @Nullable RequestView request,
            Function<@Nullable RequestView, LimitedCall> call,
            Function<LimitedCall, CompletionStage<Decision>> decide) {
        CallerContext context = CallerContext.capture();
        Mono<Publisher<?>> chosen = Mono.deferContextual(subscriber -> {
            LimitedCall subscribed = call.apply(subscriber.getOrDefault(RequestView.class, null));
            return Mono.fromCompletionStage(() -> CallThreads.handOver(decide.apply(subscribed)))
                    .onErrorMap(CompletionException.class, Stages::unwrap)
                    .map(decision -> goOn(subscribed, decision, context));
        });
        UnaryOperator<Context> withRequest =
                subscriber -> request == null ? subscriber : subscriber.put(RequestView.class, request);
        return isSingle(method)
                ? chosen.flatMap(Mono::from).contextWrite(withRequest)
                : chosen.flatMapMany(Flux::from).contextWrite(withRequest);
    }

    /** The method runs as it does without a limit: in the context of its caller. */
    private static Publisher<?> goOn(LimitedCall call, Decision decision, CallerContext context) {
        Runnable undo = context.open();
        try {
            return publisher(call.goOn(decision));
        } catch (Throwable failed) {
            return Mono.error(failed);
        } finally {
            undo.run();
        }
    }

    private static Publisher<?> publisher(@Nullable Object returned) {
        return returned instanceof Publisher<?> publisher ? publisher : Mono.empty();
    }

    private static boolean isSingle(Method method) {
        Class<?> returned = method.getReturnType();
        return returned == Mono.class
                || (returned == Object.class
                        && !new MethodParameter(method, -1)
                                .getParameterType()
                                .getName()
                                .equals("kotlinx.coroutines.flow.Flow"));
    }
}
