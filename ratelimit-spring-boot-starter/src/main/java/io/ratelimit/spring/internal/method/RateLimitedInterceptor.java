package io.ratelimit.spring.internal.method;

import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Stages;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.Warning;
import io.ratelimit.spring.internal.rule.Call;
import io.ratelimit.spring.internal.rule.CallCharges;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.Ending;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.OpenCall;
import io.ratelimit.spring.internal.rule.Rule;
import java.lang.reflect.Method;
import java.time.Duration;
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
    private final CallLimiter limiter;
    private final Expressions expressions;
    private final CurrentRequest currentRequest;
    private final Warning blocked = new Warning(MessageCode.THREAD_BLOCKED);

    RateLimitedInterceptor(
            LimitedMethodRegistry methods,
            CallLimiter limiter,
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
        BiFunction<@Nullable RequestView, Consumer<Decision>, LimitedCall> calls = (of, shows) -> {
            LimitedMethod inForce = methods.find(method, type).orElseThrow(); // at a subscription, maybe much later
            return new LimitedCall(invocation, inForce, charges(inForce, invocation, type, of), shows);
        };
        if (CallThreads.REACTOR && ReactiveReturn.isOf(method, limited.get())) {
            return ReactiveReturn.of(method, type, limited.get(), currentRequest, calls, this::decide);
        }
        LimitedCall call = calls.apply(currentRequest.view(), currentRequest.response(type));
        return StageReturn.isOf(limited.get().returned()) ? stage(call) : blocking(call);
    }

    /** Keys and expressions are evaluated now if there is a request, because it may be over when a subscriber comes. */
    private Supplier<Optional<CallCharges>> charges(
            LimitedMethod limited, MethodInvocation invocation, Class<?> type, @Nullable RequestView request) {
        Object target = invocation.getThis();
        Method specific = AopUtils.getMostSpecificMethod(invocation.getMethod(), type);
        Call call = new Call(request, () -> expressions.over(request, target, specific, invocation.getArguments()));
        Supplier<Optional<CallCharges>> charges = () -> charges(limited, call);
        if (request == null) {
            return charges;
        }
        try {
            Optional<CallCharges> now = charges.get();
            return () -> now;
        } catch (CostExceedsCapacityException tooMuch) {
            return () -> {
                throw tooMuch;
            };
        }
    }

    private static Optional<CallCharges> charges(LimitedMethod limited, Call call) {
        try {
            return Rule.charges(limited.rules(), call).map(of -> of.withMaxWait(limited.maxWait()));
        } catch (CostExceedsCapacityException tooMuch) {
            throw limited.forClients(tooMuch);
        }
    }

    private @Nullable Object blocking(LimitedCall call) throws Throwable {
        OpenCall open = new OpenCall();
        Object result = goOn(
                call,
                open,
                () -> call.charges()
                        .get()
                        .map(charges -> decided(charges, call, open))
                        .orElseGet(Decision::unanswered));
        return CallThreads.REACTOR
                ? ReactiveReturn.ending(result, call.method().returned(), open)
                : StageReturn.ending(result, open);
    }

    /**
     * Waits for the store even on a thread that must not block, because the method returns a value and cannot be called
     * before the decision. Such a thread does not wait for quota.
     */
    private Decision decided(CallCharges charges, LimitedCall call, OpenCall open) {
        if (!CallThreads.mustNotBlock()) {
            return limiter.decide(charges, open);
        }
        return Stages.await(() -> {
            CompletableFuture<Decision> decision =
                    limiter.decideAsync(charges.withMaxWait(Duration.ZERO), open, stage -> stage);
            if (!decision.isDone()) {
                blocked.logOnce(
                        "{} waits for the store on a thread that must not block: let it return a Mono, or call it on"
                                + " Schedulers.boundedElastic()",
                        call.invocation().getMethod());
            }
            return decision;
        });
    }

    private @Nullable Object stage(LimitedCall call) throws Throwable {
        OpenCall open = new OpenCall();
        CompletionStage<Decision> decision = Stages.call(() -> decide(call, open));
        return decision.toCompletableFuture().isDone()
                ? StageReturn.of(goOn(call, open, () -> Stages.await(() -> decision)), open)
                : StageReturn.of(call, decision, open);
    }

    private CompletableFuture<Decision> decide(LimitedCall call, OpenCall open) {
        return call.charges()
                .get()
                .map(charges ->
                        limiter.decideAsync(charges, open, decision -> CallThreads.handOver(decision, currentRequest)))
                .orElseGet(() -> CompletableFuture.completedFuture(Decision.unanswered()));
    }

    private static @Nullable Object goOn(LimitedCall call, OpenCall open, Supplier<Decision> decision)
            throws Throwable {
        try {
            call.show(decision.get());
        } catch (RateLimitExceededException refusal) {
            return call.method().fallback() == null ? failed(refusal, call) : call.refused(refusal);
        } catch (StoreUnavailableException undecided) {
            return failed(undecided, call);
        } catch (CostExceedsCapacityException tooMuch) {
            return failed(call.method().forClients(tooMuch), call);
        }
        try {
            return call.invocation().proceed();
        } catch (Throwable failed) {
            open.close(Ending.failed(null, failed));
            throw failed;
        }
    }

    private static @Nullable Object failed(RuntimeException failure, LimitedCall call) {
        Class<?> returned = call.method().returned();
        if (StageReturn.isOf(returned) || returned == Future.class) {
            return CompletableFuture.failedFuture(failure);
        }
        throw failure;
    }
}
