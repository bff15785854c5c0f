package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.internal.rule.RouteLimiter.Stage;
import io.ratelimit.spring.internal.servlet.RateLimitFilter;
import jakarta.servlet.DispatcherType;
import java.util.function.Function;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.Ordered;

/** The places where routes are decided: on both sides of Spring Security's filter, and where the chain ends. */
final class RateLimitFilterRegistrar {

    private final Function<Stage, RateLimitFilter> filters;
    private final boolean routed;
    private final Stage firstStage;
    private final int securityOrder;

    RateLimitFilterRegistrar(
            Function<Stage, RateLimitFilter> filters, boolean routed, Stage firstStage, int securityOrder) {
        this.filters = filters;
        this.routed = routed;
        this.firstStage = firstStage;
        this.securityOrder = securityOrder;
    }

    /** Without Spring Security the principal is known from the beginning, so this filter decides all routes. */
    FilterRegistrationBean<RateLimitFilter> beforeAuthentication() {
        return registration("rateLimiterRoutesBeforeAuthentication", firstStage, securityOrder - 1);
    }

    FilterRegistrationBean<RateLimitFilter> afterAuthentication() {
        FilterRegistrationBean<RateLimitFilter> registration =
                registration("rateLimiterRoutesAfterAuthentication", Stage.AUTHENTICATED, securityOrder + 1);
        registration.setEnabled(routed && firstStage == Stage.BEFORE_AUTHENTICATION);
        return registration;
    }

    FilterRegistrationBean<RateLimitFilter> last() {
        FilterRegistrationBean<RateLimitFilter> registration =
                registration("rateLimiterRoutesLast", Stage.END_OF_CHAIN, Ordered.LOWEST_PRECEDENCE);
        registration.setMatchAfter(true); // after filters of the same order, too
        return registration;
    }

    private FilterRegistrationBean<RateLimitFilter> registration(String name, Stage stage, int order) {
        FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(filters.apply(stage));
        registration.setName(name);
        registration.setOrder(order);
        registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC);
        registration.setEnabled(routed);
        return registration;
    }
}
