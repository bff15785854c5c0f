package io.ratelimit.spring.aop;

import io.ratelimit.Acquisition;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.MessageCode;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Stages;
import io.ratelimit.internal.Warning;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.key.Call;
import io.ratelimit.spring.key.Expressions;
import io.ratelimit.spring.rule.CancellableDecision;
import io.ratelimit.spring.rule.Rule;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/** Decides before an annotated method runs, and fails the way its return type fails. Thread-safe. */
final class RateLimitedInterceptor implements MethodInterceptor {

    private final LimitedMethodRegistry methods;
    private final RateLimiter limiter;
    private final Expressions expressions;
    private final CurrentRequest currentRequest;
    private final Warning blocked = new Warning(MessageCode.THREAD_BLOCKED);

    RateLimitedInterceptor(
            LimitedMethodRegistry methods,
            RateLimiter limiter,
            Expressions expressions,
            CurrentRequest currentRequest) {
        this.methods = methods;
        this.limiter = limiter;
        this.expressions = expressions;
        this.currentRequest = currentRequest;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Method method = invocation.getMethod();
        Class<?> type = target == null ? method.getDeclaringClass() : ClassUtils.getUserClass(target);
        Optional<LimitedMethod> limited = methods.find(method, type);
        if (limited.isEmpty() || AdvicePlacement.isAdvised(target)) { // a proxy of a proxy: the inner one decides
            return invocation.proceed();
        }
        RequestView request = currentRequest.view();
        BiFunction<@Nullable RequestView, Consumer<Decision>, LimitedCall> calls = (of, shows) ->
                new LimitedCall(invocation, limited.get(), asked(limited.get(), invocation, type, of), shows);
        Consumer<Decision> response = currentRequest.response(type);
        if (CallThreads.REACTOR && ReactiveReturn.isOf(method)) {
            return ReactiveReturn.of(method, type, request, response, calls, this::decide);
        }
        LimitedCall call = calls.apply(request, response);
        return StageReturn.isOf(method.getReturnType()) ? stage(call) : blocking(call);
    }

    /** Keys and expressions are evaluated now if there is a request, because it may be over when a subscriber comes. */
    private Supplier<Optional<Acquisition>> asked(
            LimitedMethod limited, MethodInvocation invocation, Class<?> type, @Nullable RequestView request) {
        Object target = invocation.getThis();
        Method specific = AopUtils.getMostSpecificMethod(invocation.getMethod(), type);
        Call call = new Call(request, () -> expressions.over(request, target, specific, invocation.getArguments()));
        Supplier<Optional<Acquisition>> asked = () -> Rule.acquisition(limited.rules(), call);
        if (request == null) {
            return asked;
        }
        try {
            Optional<Acquisition> now = asked.get();
            return () -> now;
        } catch (CostExceedsCapacityException tooMuch) {
            return () -> {
                throw tooMuch;
            };
        }
    }

    private @Nullable Object blocking(LimitedCall call) throws Throwable {
        return goOn(
                call,
                () -> call.acquisition()
                        .get()
                        .map(asked -> decided(asked, call))
                        .orElseGet(Decision::unanswered));
    }

    /** A thread that must not block waits all the same, because nothing is decided yet and the method returns a value. */
    private Decision decided(Acquisition asked, LimitedCall call) {
        if (!CallThreads.mustNotBlock()) {
            return limiter.acquire(asked);
        }
        return Stages.await(() -> {
            CompletionStage<Decision> decision = limiter.acquireAsync(asked);
            if (!decision.toCompletableFuture().isDone()) {
                blocked.logOnce(
                        "{} waits for the store on a thread that must not block: let it return a Mono, or call it on"
                                + " Schedulers.boundedElastic()",
                        call.invocation().getMethod());
            }
            return decision;
        });
    }

    private @Nullable Object stage(LimitedCall call) throws Throwable {
        CompletionStage<Decision> decision = Stages.call(() -> decide(call));
        return decision.toCompletableFuture().isDone()
                ? goOn(call, () -> Stages.await(() -> decision))
                : StageReturn.of(call, decision);
    }

    private CompletableFuture<Decision> decide(LimitedCall call) {
        return call.acquisition()
                .get()
                .map(asked -> CancellableDecision.of(limiter, asked, CallThreads::handOver))
                .orElseGet(() -> CompletableFuture.completedFuture(Decision.unanswered()));
    }

    private static @Nullable Object goOn(LimitedCall call, Supplier<Decision> decision) throws Throwable {
        try {
            call.show(decision.get());
        } catch (RateLimitExceededException refusal) {
            return call.method().fallback() == null ? failed(refusal, call) : call.refused(refusal);
        } catch (StoreUnavailableException | CostExceedsCapacityException undecided) {
            return failed(undecided, call);
        }
        return call.invocation().proceed();
    }

    private static @Nullable Object failed(RuntimeException failure, LimitedCall call) {
        Class<?> returned = call.invocation().getMethod().getReturnType();
        if (StageReturn.isOf(returned) || returned == Future.class) {
            return CompletableFuture.failedFuture(failure);
        }
        throw failure;
    }
}
