package io.ratelimit.spring.internal.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.Pointcuts;
import org.springframework.core.Ordered;

/** Finds and moves the limits' advice among the other advice of a bean. */
final class AdvicePlacement {

    /** Spring's {@code @Retryable} and {@code @ConcurrencyLimit}, and those of the spring-retry project. */
    private static final List<String> REPEATING =
            List.of("org.springframework.resilience.", "org.springframework.retry.");

    private AdvicePlacement() {}

    /** True if this is a proxy that applies the limits, or a proxy of one. */
    static boolean isAdvised(@Nullable Object bean) {
        if (!(bean instanceof Advised proxy)) {
            return false;
        }
        return position(proxy) >= 0 || isAdvised(target(proxy));
    }

    /**
     * Puts the limits before {@code @Async} and {@code @Retryable}, which some of Spring's post-processors put first of
     * all: a limit decides on the caller's thread, and a refusal is not repeated. Method security and other advice that
     * is ordered before the limits so comes first, too.
     *
     * <p>Limits with the order of the lowest precedence are put behind {@code @Retryable}, so that each attempt is charged.
     */
    static void place(Advised proxy) {
        int limits = position(proxy);
        if (countsAttempts(proxy, limits)) {
            placeBehindRepeating(proxy, limits);
            return;
        }
        List<Advisor> later = new ArrayList<>();
        for (int i = 0; i < limits; i++) {
            Advisor advisor = proxy.getAdvisors()[i];
            if (advisor.getAdvice() instanceof AsyncExecutionInterceptor || repeats(advisor)) {
                later.add(advisor);
            }
        }
        if (!later.isEmpty() && !proxy.isFrozen()) {
            later.forEach(proxy::removeAdvisor);
            int next = position(proxy) + 1;
            for (Advisor advisor : later) {
                proxy.addAdvisor(next++, advisor);
            }
        }
    }

    /** True if the method is handed over to another thread behind the limits, which then see it return at once. */
    static boolean isHandedOver(@Nullable Object bean, Method method, Class<?> type) {
        if (!(bean instanceof Advised proxy)) {
            return false;
        }
        int limits = position(proxy);
        Object target = target(proxy);
        return (limits < 0 || isAdvised(target))
                ? isHandedOver(target, method, type)
                : handsOver(proxy, limits + 1, method, type);
    }

    private static boolean handsOver(@Nullable Object bean, int from, Method method, Class<?> type) {
        if (!(bean instanceof Advised proxy)) {
            return false;
        }
        boolean here = Stream.of(proxy.getAdvisors())
                .skip(from)
                .anyMatch(advisor -> advisor.getAdvice() instanceof AsyncExecutionInterceptor
                        && advisor instanceof PointcutAdvisor handing
                        && Pointcuts.matches(handing.getPointcut(), method, type));
        return here || handsOver(target(proxy), 0, method, type);
    }

    private static boolean countsAttempts(Advised proxy, int limits) {
        return limits >= 0
                && ((Ordered) proxy.getAdvisors()[limits]).getOrder() == Ordered.LOWEST_PRECEDENCE
                && Stream.of(proxy.getAdvisors()).anyMatch(AdvicePlacement::repeats);
    }

    private static void placeBehindRepeating(Advised proxy, int limits) {
        Advisor[] advisors = proxy.getAdvisors();
        int last = limits;
        for (int i = limits + 1; i < advisors.length; i++) {
            last = repeats(advisors[i]) ? i : last;
        }
        if (last > limits && !proxy.isFrozen()) {
            proxy.removeAdvisor(advisors[limits]);
            proxy.addAdvisor(last, advisors[limits]);
        }
    }

    private static boolean repeats(Advisor advisor) {
        String type = advisor.getAdvice().getClass().getName();
        return REPEATING.stream().anyMatch(type::startsWith);
    }

    private static int position(Advised proxy) {
        Advisor[] advisors = proxy.getAdvisors();
        for (int i = 0; i < advisors.length; i++) {
            if (advisors[i] instanceof RateLimitedAdvisor) {
                return i;
            }
        }
        return -1;
    }

    private static @Nullable Object target(Advised proxy) {
        TargetSource source = proxy.getTargetSource();
        try {
            return source.isStatic() ? source.getTarget() : null;
        } catch (Exception unavailable) {
            return null;
        }
    }
}
