package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.internal.reactive.RateLimitExceptionHandler;
import io.ratelimit.spring.internal.reactive.ReactiveRefusalWriter;
import io.ratelimit.spring.internal.reactive.RequestContextFilter;
import io.ratelimit.spring.internal.reactive.WebFluxPatterns;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.web.MappedHandlers;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
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
    RateLimitExceptionHandler rateLimiterRefusalResolver(ApplicationContext context, ReactiveRefusalWriter refusals) {
        return new RateLimitExceptionHandler(context, refusals);
    }

    /** For explanations alone. */
    @Bean
    @Lazy
    MappedHandlers rateLimiterMappedHandlers(ApplicationContext context) {
        return new MappedHandlers(() -> WebFluxPatterns.mappings(context));
    }

    @Bean
    ReactiveRefusalWriter rateLimiterRefusalWriter(
            ApplicationContext context, ClientAddresses addresses, RateLimitHeaders headers) {
        return new ReactiveRefusalWriter(context, addresses, headers);
    }
}
