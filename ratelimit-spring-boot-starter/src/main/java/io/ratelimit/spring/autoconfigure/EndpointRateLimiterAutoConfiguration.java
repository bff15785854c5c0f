package io.ratelimit.spring.autoconfigure;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.actuator.LimitsInForce;
import io.ratelimit.spring.actuator.RateLimitsEndpoint;
import io.ratelimit.spring.actuator.RequestExplainer;
import io.ratelimit.spring.aop.LimitedMethodRegistry;
import io.ratelimit.spring.http.MappedHandlers;
import io.ratelimit.spring.key.ClientAddresses;
import io.ratelimit.spring.key.Expressions;
import io.ratelimit.spring.route.RouteLimiter;
import io.ratelimit.spring.route.Routes;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code ratelimits}, where Actuator exposes it. */
@AutoConfiguration(
        after = {
            RateLimitedAutoConfiguration.class,
            ServletRateLimiterAutoConfiguration.class,
            ReactiveRateLimiterAutoConfiguration.class
        })
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@ConditionalOnWebApplication
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
public final class EndpointRateLimiterAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    RateLimitsEndpoint rateLimiterLimitsEndpoint(
            RateLimiter limiter,
            Limits limits,
            ObjectProvider<Routes> routes,
            ObjectProvider<LimitedMethodRegistry> methods,
            ObjectProvider<RouteLimiter> routeLimiter,
            ObjectProvider<MappedHandlers> handlers,
            Expressions expressions,
            ClientAddresses addresses,
            RateLimiterProperties properties) {
        LimitsInForce inForce = new LimitsInForce(
                limits,
                () -> routes.stream().flatMap(all -> all.routes().stream()).toList(),
                () -> methods.stream()
                        .findFirst()
                        .map(LimitedMethodRegistry::rules)
                        .orElse(Map.of()));
        RequestExplainer explainer = new RequestExplainer(
                limiter,
                () -> routeLimiter.stream().findFirst(),
                () -> methods.stream().findFirst(),
                handlers.getIfAvailable(() -> new MappedHandlers(List::of)),
                expressions,
                addresses,
                properties.reportOnly());
        return new RateLimitsEndpoint(limiter, inForce, explainer);
    }
}
