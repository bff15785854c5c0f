package io.ratelimit.spring.autoconfigure;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.reactive.NamedLimitsRateLimiter;
import io.ratelimit.spring.internal.rule.CallLimiter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;

/** The limits by name for {@code RequestRateLimiter} in the routes of Spring Cloud Gateway. */
@AutoConfiguration(
        after = {RateLimiterAutoConfiguration.class, DisabledRateLimiterAutoConfiguration.class},
        beforeName = "org.springframework.cloud.gateway.config.GatewayAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(AbstractRateLimiter.class)
@ConditionalOnProperty(name = "spring.cloud.gateway.server.webflux.enabled", matchIfMissing = true)
@ConditionalOnBean(Limits.class)
@ConditionalOnSingleCandidate(RateLimiter.class)
public final class GatewayRateLimiterAutoConfiguration {

    /** Routes that name no limiter keep the one they have. */
    @Bean
    @Fallback
    @ConditionalOnMissingBean
    NamedLimitsRateLimiter namedLimits(RateLimiter limiter, Limits limits, ConfigurationService configuration) {
        return new NamedLimitsRateLimiter(new CallLimiter(limiter, (limit, reason) -> {}), limits, configuration);
    }
}
