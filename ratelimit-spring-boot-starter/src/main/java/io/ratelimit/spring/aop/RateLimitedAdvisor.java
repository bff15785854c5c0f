package io.ratelimit.spring.aop;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.key.Expressions;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;

/**
 * Applies {@link io.ratelimit.spring.RateLimited} to every bean that has it, before other advice, so that a refused call
 * opens no transaction and fills no cache.
 *
 * <p>Spring makes advisors before all other beans, so this one takes what it needs only when a bean has the annotation.
 */
public final class RateLimitedAdvisor extends AbstractPointcutAdvisor {

    private static final long serialVersionUID = 1L;
    private static final int AFTER_SPRINGS_OWN_BOOKKEEPING = Ordered.HIGHEST_PRECEDENCE + 100;

    private final transient Pointcut pointcut;
    private final transient Advice advice;

    /** Reads the annotations with {@code methods}, and decides by the others. */
    public RateLimitedAdvisor(
            LimitedMethodRegistry methods,
            Supplier<RateLimiter> limiter,
            Supplier<Expressions> expressions,
            Supplier<CurrentRequest> currentRequest) {
        this.pointcut = new StaticMethodMatcherPointcut() {
            @Override
            public boolean matches(Method method, Class<?> targetClass) {
                return methods.find(method, targetClass).isPresent();
            }
        };
        SingletonSupplier<RateLimitedInterceptor> interceptor = SingletonSupplier.of(
                () -> new RateLimitedInterceptor(methods, limiter.get(), expressions.get(), currentRequest.get()));
        this.advice = (MethodInterceptor) invocation -> interceptor.obtain().invoke(invocation);
        setOrder(AFTER_SPRINGS_OWN_BOOKKEEPING);
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
