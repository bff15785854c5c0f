package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.http.MappedHandlers;
import io.ratelimit.spring.http.RateLimitHeaders;
import io.ratelimit.spring.key.ClientAddresses;
import io.ratelimit.spring.key.Expressions;
import io.ratelimit.spring.reactive.RateLimitExceptionHandler;
import io.ratelimit.spring.reactive.ReactiveRefusalWriter;
import io.ratelimit.spring.reactive.RequestContextFilter;
import io.ratelimit.spring.reactive.WebFluxMappings;
import io.ratelimit.spring.reactive.WebFluxPatterns;
import io.ratelimit.spring.route.RouteLimiter;
import io.ratelimit.spring.route.Routes;
import io.ratelimit.spring.rule.CallLimiter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.reactive.DispatcherHandler;

/** Reactive applications: the filters for routes, and the answer to what annotated methods refuse. */
@AutoConfiguration(after = RateLimiterAutoConfiguration.class)
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
@Import({RouteBeans.class, ReactiveRouteFilters.class})
public final class ReactiveRateLimiterAutoConfiguration {

    @Bean
    RequestContextFilter rateLimiterRequestFirst(RateLimitHeaders headers, ClientAddresses addresses) {
        return new RequestContextFilter(Ordered.HIGHEST_PRECEDENCE, headers, addresses);
    }

    @Bean
    RequestContextFilter rateLimiterRequestLast(RateLimitHeaders headers, ClientAddresses addresses) {
        return new RequestContextFilter(Ordered.LOWEST_PRECEDENCE, headers, addresses);
    }

    @Bean
    @ConditionalOnMissingBean
    RateLimitExceptionHandler rateLimiterRefusalResolver(ApplicationContext context, ReactiveRefusalWriter refusals) {
        return new RateLimitExceptionHandler(context, refusals);
    }

    @Bean
    @ConditionalOnMissingBean
    MappedHandlers rateLimiterMappedHandlers(ApplicationContext context) {
        return new MappedHandlers(() -> WebFluxMappings.of(context));
    }

    @Bean
    @ConditionalOnMissingBean
    ReactiveRefusalWriter rateLimiterRefusalWriter(ApplicationContext context, ClientAddresses addresses) {
        return new ReactiveRefusalWriter(context, addresses);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(Routes.class)
    RouteLimiter rateLimiterRouteLimiter(
            Routes routes, CallLimiter limiter, Expressions expressions, ApplicationContext context) {
        SingletonSupplier<Routes> asWebFlux =
                SingletonSupplier.of(() -> routes.parsedBy(WebFluxPatterns.of(context)::parse));
        return new RouteLimiter(
                asWebFlux::obtain, limiter, expressions, () -> ReactiveRouteFilters.firstStage(context));
    }
}
