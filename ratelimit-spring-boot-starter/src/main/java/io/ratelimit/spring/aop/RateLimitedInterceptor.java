package io.ratelimit.spring.aop;

import io.ratelimit.Acquisition;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.key.Call;
import io.ratelimit.spring.key.Expressions;
import io.ratelimit.spring.rule.Rule;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/** Decides before an annotated method runs, and fails the way its return type fails. Thread-safe. */
final class RateLimitedInterceptor implements MethodInterceptor {

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", RateLimitedInterceptor.class.getClassLoader());

    private final LimitedMethodRegistry methods;
    private final RateLimiter limiter;
    private final Expressions expressions;
    private final CurrentRequest currentRequest;

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
        if (limited.isEmpty()) {
            return invocation.proceed();
        }
        RequestView view = currentRequest.view();
        Method specific = AopUtils.getMostSpecificMethod(method, type);
        Call call = new Call(view, () -> expressions.over(view, target, specific, invocation.getArguments()));
        Attempt attempt = new Attempt(limited.get(), call, currentRequest.response());
        return REACTOR && ReactiveReturn.isOf(method.getReturnType())
                ? ReactiveReturn.of(
                        invocation, () -> decideAsync(attempt), refusal -> fallback(attempt, invocation, refusal))
                : decideAndProceed(attempt, invocation);
    }

    private @Nullable Object decideAndProceed(Attempt attempt, MethodInvocation invocation) throws Throwable {
        try {
            Optional<Acquisition> asked = attempt.asks();
            if (asked.isPresent()) {
                attempt.tell(limiter.acquire(asked.get()));
            }
        } catch (RateLimitExceededException refusal) {
            return attempt.method.fallback() == null
                    ? failed(refusal, invocation)
                    : fallback(attempt, invocation, refusal);
        } catch (StoreUnavailableException | CostExceedsCapacityException undecided) {
            return failed(undecided, invocation);
        }
        return invocation.proceed();
    }

    private CompletionStage<Void> decideAsync(Attempt attempt) {
        return attempt.asks()
                .map(asked -> limiter.acquireAsync(asked).thenAccept(attempt::tell))
                .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    private static @Nullable Object failed(RuntimeException failure, MethodInvocation invocation) {
        Class<?> returned = invocation.getMethod().getReturnType();
        if (returned == CompletionStage.class || returned == Future.class || returned == CompletableFuture.class) {
            return CompletableFuture.failedFuture(failure);
        }
        throw failure;
    }

    private static @Nullable Object fallback(
            Attempt attempt, MethodInvocation invocation, RateLimitExceededException refusal) {
        Method fallback = attempt.method.fallback();
        if (fallback == null) {
            throw refusal;
        }
        return FallbackMethodFinder.call(fallback, invocation.getThis(), invocation.getArguments(), refusal);
    }

    /** One call of a limited method, and the response to tell of its decision. */
    private record Attempt(LimitedMethod method, Call call, Consumer<Decision> response) {

        Optional<Acquisition> asks() {
            return Rule.acquisition(method.rules(), call);
        }

        void tell(Decision decision) {
            response.accept(decision);
            if (!decision.allowed()) {
                throw new RateLimitExceededException(decision);
            }
        }
    }
}
