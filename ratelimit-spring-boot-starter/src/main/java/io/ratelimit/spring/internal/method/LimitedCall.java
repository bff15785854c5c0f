package io.ratelimit.spring.internal.method;

import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.internal.rule.CallCharges;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * One call of a limited method.
 *
 * @param charges what it is to be charged, empty if no condition holds; throws
 *     {@link io.ratelimit.CostExceedsCapacityException} if it costs more than a limit can ever admit
 * @param response shows a decision to the client
 */
record LimitedCall(
        MethodInvocation invocation,
        LimitedMethod method,
        Supplier<Optional<CallCharges>> charges,
        Consumer<Decision> response) {

    /**
     * Shows how the limits stand.
     *
     * @throws RateLimitExceededException if the decision refuses the call
     */
    void show(Decision decision) {
        Decision shown = method.forClients(decision);
        response.accept(shown);
        if (!shown.allowed()) {
            throw new RateLimitExceededException(shown);
        }
    }

    /**
     * Calls the fallback.
     *
     * @throws RateLimitExceededException the refusal, if there is no fallback
     */
    @Nullable
    Object refused(RateLimitExceededException refusal) throws Throwable {
        Method fallback = method.fallback();
        if (fallback == null) {
            throw refusal;
        }
        return FallbackMethodFinder.call(
                fallback, invocation.getThis(), invocation.getMethod(), invocation.getArguments(), refusal);
    }

    /**
     * Shows the decision, and runs the method or its fallback. May be called after the interceptors have returned, more
     * than once, and on any thread. AspectJ's advice expects its invocation to be exposed.
     */
    @Nullable
    Object goOn(Decision decision) throws Throwable {
        try {
            show(decision);
        } catch (RateLimitExceededException refusal) {
            return refused(refusal);
        }
        return ExposeInvocationInterceptor.INSTANCE.invoke(((ProxyMethodInvocation) invocation).invocableClone());
    }
}
