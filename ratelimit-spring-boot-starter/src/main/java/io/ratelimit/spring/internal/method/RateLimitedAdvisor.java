package io.ratelimit.spring.internal.method;

import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.internal.LateBean;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.Expressions;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Applies {@link io.ratelimit.spring.RateLimited} to every bean that has it: after method security, so that a call that
 * is not permitted is not charged, and before other advice, so that a refused call opens no transaction and fills no
 * cache.
 *
 * <p>Spring makes advisors before all other beans, so this one takes what it needs only when a bean has the annotation.
 */
public final class RateLimitedAdvisor extends AbstractPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    /** Method security has up to 600; caches, transactions and most other advice come last. */
    public static final int DEFAULT_ORDER = 1000;

    private final transient Pointcut pointcut;
    private final transient Advice advice;

    /** Reads the annotations with {@code methods}, and decides by the others. */
    public RateLimitedAdvisor(
            LimitedMethodRegistry methods,
            Supplier<CallLimiter> limiter,
            Supplier<Expressions> expressions,
            Supplier<CurrentRequest> currentRequest) {
        StaticMethodMatcherPointcut limited = new StaticMethodMatcherPointcut() {
            @Override
            public boolean matches(Method method, Class<?> targetClass) {
                return methods.isLimited(method, targetClass);
            }
        };
        limited.setClassFilter(methods.candidates());
        this.pointcut = limited;
        LateBean<RateLimitedInterceptor> interceptor = new LateBean<>(
                () -> new RateLimitedInterceptor(methods, limiter.get(), expressions.get(), currentRequest.get()));
        this.advice = (MethodInterceptor) invocation -> interceptor.get().invoke(invocation);
        setOrder(DEFAULT_ORDER);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }
}
