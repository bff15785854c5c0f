package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.route.Routes;
import io.ratelimit.spring.servlet.RateLimitFilter;
import jakarta.servlet.DispatcherType;
import java.util.List;
import java.util.function.BiFunction;
import org.springframework.boot.web.servlet.FilterRegistrationBean;

/** The two places where routes are decided: around Spring Security's filter, or both in one where there is none. */
final class RateLimitFilterRegistrar {

    private final Routes routes;
    private final BiFunction<String, Routes, RateLimitFilter> filters;
    private final boolean security;
    private final int securityOrder;

    RateLimitFilterRegistrar(
            Routes routes, BiFunction<String, Routes, RateLimitFilter> filters, boolean security, int securityOrder) {
        this.routes = routes;
        this.filters = filters;
        this.security = security;
        this.securityOrder = securityOrder;
    }

    FilterRegistrationBean<RateLimitFilter> beforeAuthentication() {
        Routes some = security ? routes.needingPrincipal(false) : routes;
        return registration("rateLimitFilter", some, securityOrder - 1);
    }

    FilterRegistrationBean<RateLimitFilter> afterAuthentication() {
        Routes some = security ? routes.needingPrincipal(true) : new Routes(List.of(), List::of);
        return registration("authenticatedRateLimitFilter", some, securityOrder + 1);
    }

    private FilterRegistrationBean<RateLimitFilter> registration(String name, Routes some, int order) {
        FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(filters.apply(name, some));
        registration.setName(name);
        registration.setOrder(order);
        registration.setDispatcherTypes(DispatcherType.REQUEST);
        registration.setEnabled(!some.isEmpty());
        return registration;
    }
}
