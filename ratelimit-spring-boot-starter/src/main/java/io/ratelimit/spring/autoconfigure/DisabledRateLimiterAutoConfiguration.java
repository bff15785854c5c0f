package io.ratelimit.spring.autoconfigure;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.Limits;
import io.ratelimit.stack.RateLimiterStack;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/** With {@code rate-limiter.enabled: false}, the beans that applications inject exist and admit everything. */
@AutoConfiguration
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", havingValue = "false")
@EnableConfigurationProperties(RateLimiterProperties.class)
@Import(LimitBeans.class)
public final class DisabledRateLimiterAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Limits rateLimiterConfiguredLimits(RateLimiterProperties properties) {
        return ConfiguredLimits.of(properties);
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean(RateLimiter.class)
    RateLimiterStack rateLimiterAdmittingAll() {
        return RateLimiterStack.admittingAll();
    }

    /** Replaces the one that the starter defines if it is enabled. Shows no limits. */
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    CurrentRequest rateLimiterCurrentRequest() {
        return CurrentRequest.none();
    }
}
