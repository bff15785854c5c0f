package io.ratelimit.spring.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.operate.RateLimiterMetrics;
import io.ratelimit.spring.internal.operate.StoreMetrics;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.stack.RateLimiterStack;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Meters, where the application has a registry for them. */
@AutoConfiguration(
        after = RateLimiterAutoConfiguration.class,
        afterName = {
            // Spring Boot 3
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            // Spring Boot 4
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
public final class MetricsRateLimiterAutoConfiguration {

    @Bean
    RateLimiterMetrics rateLimiterDecisionMeters(RateLimiterProperties properties) {
        return new RateLimiterMetrics(properties.reportOnly(), properties.warnAt());
    }

    /** Has the counters of the configured limits begin at 0, when all beans exist. */
    @Bean
    SmartInitializingSingleton rateLimiterMetersFromTheStart(
            ObjectProvider<RateLimiterMetrics> metrics,
            Limits limits,
            ObjectProvider<Routes> routes,
            ObjectProvider<RateLimiter> limiters) {
        return () -> metrics.ifUnique(meters -> meters.begin(
                Stream.concat(
                                limits.all().stream(),
                                routes.stream()
                                        .flatMap(all -> all.routes().stream())
                                        .flatMap(route -> route.rules().stream())
                                        .flatMap(rule -> rule.limits().stream()))
                        .distinct()
                        .toList(),
                limiters.getIfUnique() instanceof RateLimiterStack stack && stack.isShared()));
    }

    @Bean
    StoreMetrics rateLimiterStoreMetrics(ObjectProvider<RateLimiter> limiter) {
        return new StoreMetrics(limiter::getIfUnique);
    }
}
