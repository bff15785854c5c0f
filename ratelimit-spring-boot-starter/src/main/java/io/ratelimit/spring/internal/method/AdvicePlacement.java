package io.ratelimit.spring.internal.method;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;

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
     */
    static void place(Advised proxy) {
        int limits = position(proxy);
        List<Advisor> later = new ArrayList<>();
        for (int i = 0; i < limits; i++) {
            if (comesLater(proxy.getAdvisors()[i])) {
                later.add(proxy.getAdvisors()[i]);
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

    private static boolean comesLater(Advisor advisor) {
        String type = advisor.getAdvice().getClass().getName();
        return advisor.getAdvice() instanceof AsyncExecutionInterceptor
                || REPEATING.stream().anyMatch(type::startsWith);
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
