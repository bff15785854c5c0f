package io.ratelimit.spring.autoconfigure;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.spring.internal.method.LimitedMethodRegistry;
import io.ratelimit.spring.internal.operate.LimitsInForce;
import io.ratelimit.spring.internal.operate.RateLimitsEndpoint;
import io.ratelimit.spring.internal.operate.RequestExplainer;
import io.ratelimit.spring.internal.operate.WholeBody;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.LiveRoutes;
import io.ratelimit.spring.internal.rule.RouteLimiter;
import io.ratelimit.spring.internal.web.MappedHandlers;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
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
@ConditionalOnSingleCandidate(RateLimiter.class)
public final class EndpointRateLimiterAutoConfiguration {

    @Bean
    @ConditionalOnAvailableEndpoint
    RateLimitsEndpoint rateLimiterLimitsEndpoint(
            RateLimiter limiter,
            Limits limits,
            ObjectProvider<LiveRoutes> routes,
            ObjectProvider<LimitedMethodRegistry> methods,
            ObjectProvider<RouteLimiter> routeLimiter,
            ObjectProvider<MappedHandlers> handlers,
            Expressions expressions,
            ClientAddresses addresses,
            Overrides overrides) {
        LimitsInForce inForce = new LimitsInForce(
                limits,
                () -> routes.stream()
                        .flatMap(all -> all.written().routes().stream())
                        .toList(),
                () -> methods.stream()
                        .findFirst()
                        .map(LimitedMethodRegistry::rules)
                        .orElse(Map.of()),
                overrides);
        RequestExplainer explainer = new RequestExplainer(
                limiter,
                () -> routeLimiter.stream().findFirst(),
                () -> methods.stream().findFirst(),
                handlers.getIfAvailable(() -> new MappedHandlers(List::of)),
                expressions,
                addresses,
                overrides);
        return new RateLimitsEndpoint(limiter, inForce, explainer, overrides);
    }

    @Bean
    @ConditionalOnAvailableEndpoint(endpoint = RateLimitsEndpoint.class)
    WholeBody rateLimiterWholeBodyOfEndpoint() {
        return new WholeBody();
    }
}
