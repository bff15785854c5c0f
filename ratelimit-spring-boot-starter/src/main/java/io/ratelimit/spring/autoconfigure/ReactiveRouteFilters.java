package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.internal.reactive.RateLimitWebFilter;
import io.ratelimit.spring.internal.reactive.ReactiveRefusalWriter;
import io.ratelimit.spring.internal.reactive.WebFluxPatterns;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.LiveRoutes;
import io.ratelimit.spring.internal.rule.RouteLimiter;
import io.ratelimit.spring.internal.rule.RouteLimiter.Stage;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/** The filters for routes in reactive applications. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean(Routes.class)
class ReactiveRouteFilters {

    /** The order of Spring Security's filter among those of WebFlux. No property moves it. */
    private static final int SECURITY = -100;

    private static final String SECURITY_FILTER = "org.springframework.security.web.server.WebFilterChainProxy";

    @Bean
    RouteLimiter rateLimiterRouteLimiter(
            LiveRoutes routes, CallLimiter limiter, Expressions expressions, ApplicationContext context) {
        return new RouteLimiter(
                () -> routes.parsedBy(() -> WebFluxPatterns.of(context)::parse),
                limiter,
                expressions,
                () -> firstStage(context));
    }

    /**
     * Stops a flood before it is authenticated. Without Spring Security, no later filter knows more about the sender,
     * so this one decides all routes.
     */
    @Bean
    RateLimitWebFilter rateLimiterRoutesBeforeAuthentication(
            RouteLimiter limiter,
            ClientAddresses addresses,
            RateLimitHeaders headers,
            ReactiveRefusalWriter refusals,
            ApplicationContext context) {
        return new RateLimitWebFilter(
                SECURITY - 1, limiter.firstStage(), limiter, addresses, headers, refusals, context);
    }

    @Bean
    RateLimitWebFilter rateLimiterRoutesAfterAuthentication(
            RouteLimiter limiter,
            ClientAddresses addresses,
            RateLimitHeaders headers,
            ReactiveRefusalWriter refusals,
            ApplicationContext context) {
        return new RateLimitWebFilter(
                SECURITY + 1, Stage.AUTHENTICATED, limiter, addresses, headers, refusals, context);
    }

    /** Sees requests whose path another filter has changed. */
    @Bean
    RateLimitWebFilter rateLimiterRoutesLast(
            RouteLimiter limiter,
            ClientAddresses addresses,
            RateLimitHeaders headers,
            ReactiveRefusalWriter refusals,
            ApplicationContext context) {
        return new RateLimitWebFilter(
                Ordered.LOWEST_PRECEDENCE, Stage.END_OF_CHAIN, limiter, addresses, headers, refusals, context);
    }

    private static Stage firstStage(ApplicationContext context) {
        return isSecured(context) ? Stage.BEFORE_AUTHENTICATION : Stage.AUTHENTICATED;
    }

    private static boolean isSecured(ApplicationContext context) {
        return ClassUtils.isPresent(SECURITY_FILTER, context.getClassLoader())
                && context.getBeanNamesForType(
                                        ClassUtils.resolveClassName(SECURITY_FILTER, context.getClassLoader()),
                                        true,
                                        false)
                                .length
                        > 0;
    }
}
