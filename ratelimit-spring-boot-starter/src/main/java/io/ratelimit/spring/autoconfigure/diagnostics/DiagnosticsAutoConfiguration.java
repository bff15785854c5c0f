package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.autoconfigure.RateLimitedAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import io.ratelimit.spring.internal.method.LimitedMethodRegistry;
import io.ratelimit.spring.internal.web.ManagementEndpoints;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** Checks at the start for settings that are valid each by itself, but wrong together. */
@AutoConfiguration(after = {RateLimiterAutoConfiguration.class, RateLimitedAutoConfiguration.class})
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
public final class DiagnosticsAutoConfiguration {

    @Bean
    Diagnostics rateLimiterStartDiagnostics(ObjectProvider<Diagnosis> diagnoses) {
        return new Diagnostics(diagnoses);
    }

    @Bean
    CountsApart rateLimiterCountsApart(
            RateLimiterProperties properties, ObjectProvider<RateLimiter> limiters, Environment environment) {
        return new CountsApart(properties, limiters, environment);
    }

    @Bean
    MisnamedVariables rateLimiterMisnamedVariables(ConfigurableEnvironment environment, Limits limits) {
        return new MisnamedVariables(environment, limits);
    }

    @Bean
    UnusedLimits rateLimiterUnusedLimits(
            RateLimiterProperties properties,
            Limits limits,
            ObjectProvider<LimitedMethodRegistry> methods,
            ConfigurableListableBeanFactory beans) {
        return new UnusedLimits(properties, limits, methods, beans);
    }

    @Bean
    HealthOfLimits rateLimiterHealthOfLimits(
            RateLimiterProperties properties,
            ObjectProvider<RateLimiter> limiters,
            ConfigurableListableBeanFactory beans) {
        return new HealthOfLimits(properties, limiters, beans);
    }

    /** Checks for applications that serve requests. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication
    static class Web {

        @Bean
        TrustInEverybody rateLimiterTrustInEverybody(RateLimiterProperties properties) {
            return new TrustInEverybody(properties);
        }

        @Bean
        OwnFilter rateLimiterOwnFilter(ApplicationContext context) {
            return new OwnFilter(context);
        }

        @Bean
        RepeatedContextPath rateLimiterRepeatedContextPath(RateLimiterProperties properties, Environment environment) {
            return new RepeatedContextPath(properties, environment);
        }

        @Bean
        ShortWindow rateLimiterShortWindow(RateLimiterProperties properties, Limits limits) {
            return new ShortWindow(properties, limits);
        }

        @Bean
        OverlappingRoutes rateLimiterChargedTwice(
                RateLimiterProperties properties, Limits limits, ApplicationContext context) {
            return OverlappingRoutes.ofCosts(properties, limits, ManagementEndpoints.of(context));
        }

        @Bean
        OverlappingRoutes rateLimiterTwoElements(
                RateLimiterProperties properties, Limits limits, ApplicationContext context) {
            return OverlappingRoutes.ofElements(properties, limits, ManagementEndpoints.of(context));
        }
    }
}
