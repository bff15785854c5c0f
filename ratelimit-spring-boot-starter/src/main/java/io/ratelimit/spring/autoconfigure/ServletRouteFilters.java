package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.LiveRoutes;
import io.ratelimit.spring.internal.rule.RouteLimiter;
import io.ratelimit.spring.internal.rule.RouteLimiter.Stage;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.internal.servlet.MvcPatterns;
import io.ratelimit.spring.internal.servlet.RateLimitFilter;
import io.ratelimit.spring.internal.servlet.RefusalWriter;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import jakarta.servlet.DispatcherType;
import java.util.function.Function;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/** The filters for routes in servlet applications. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean(Routes.class)
class ServletRouteFilters {

    @Bean
    RouteLimiter rateLimiterRouteLimiter(
            LiveRoutes routes, CallLimiter limiter, Expressions expressions, ApplicationContext context) {
        return new RouteLimiter(
                () -> routes.parsedBy(() -> MvcPatterns.of(context)::parse),
                limiter,
                expressions,
                () -> context.containsBean("springSecurityFilterChain")
                        ? Stage.BEFORE_AUTHENTICATION
                        : Stage.AUTHENTICATED);
    }

    @Bean
    RateLimitFilterRegistrar rateLimiterFilterRegistrar(
            RouteLimiter limiter,
            ClientAddresses addresses,
            RateLimitHeaders headers,
            RefusalWriter refusals,
            ApplicationContext context) {
        return new RateLimitFilterRegistrar(
                stage -> new RateLimitFilter(stage, limiter, addresses, headers, refusals),
                limiter.firstStage(),
                context.getEnvironment().getProperty("spring.security.filter.order", Integer.class, -100));
    }

    /** Stops a flood before it is authenticated. */
    @Bean
    FilterRegistrationBean<RateLimitFilter> rateLimiterRoutesBeforeAuthentication(RateLimitFilterRegistrar filters) {
        return filters.beforeAuthentication();
    }

    @Bean
    FilterRegistrationBean<RateLimitFilter> rateLimiterRoutesAfterAuthentication(RateLimitFilterRegistrar filters) {
        return filters.afterAuthentication();
    }

    /** Sees requests whose path another filter has changed. */
    @Bean
    FilterRegistrationBean<RateLimitFilter> rateLimiterRoutesLast(RateLimitFilterRegistrar filters) {
        return filters.last();
    }

    /** The places where routes are decided: on both sides of Spring Security's filter, and where the chain ends. */
    static final class RateLimitFilterRegistrar {

        private final Function<Stage, RateLimitFilter> filters;
        private final Stage firstStage;
        private final int securityOrder;

        RateLimitFilterRegistrar(Function<Stage, RateLimitFilter> filters, Stage firstStage, int securityOrder) {
            this.filters = filters;
            this.firstStage = firstStage;
            this.securityOrder = securityOrder;
            boolean isLast = firstStage == Stage.BEFORE_AUTHENTICATION && securityOrder == Ordered.LOWEST_PRECEDENCE;
            if (securityOrder == Ordered.HIGHEST_PRECEDENCE || isLast) {
                throw new InvalidRateLimitException(
                        MessageCode.SETTING_INVALID,
                        "spring.security.filter.order",
                        "'%d' leaves the filters of routes no place %s Spring Security: choose another number, such as -100"
                                .formatted(securityOrder, isLast ? "behind" : "before"));
            }
        }

        /** Without Spring Security the principal is known from the beginning, so this filter decides all routes. */
        FilterRegistrationBean<RateLimitFilter> beforeAuthentication() {
            return registration("rateLimiterRoutesBeforeAuthentication", firstStage, securityOrder - 1);
        }

        FilterRegistrationBean<RateLimitFilter> afterAuthentication() {
            FilterRegistrationBean<RateLimitFilter> registration =
                    registration("rateLimiterRoutesAfterAuthentication", Stage.AUTHENTICATED, securityOrder + 1);
            registration.setEnabled(firstStage == Stage.BEFORE_AUTHENTICATION);
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
            return registration;
        }
    }
}
