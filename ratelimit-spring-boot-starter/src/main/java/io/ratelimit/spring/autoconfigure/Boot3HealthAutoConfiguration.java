package io.ratelimit.spring.autoconfigure;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.internal.operate.StoreHealth;
import java.util.Optional;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * The store in {@code /actuator/health} on Spring Boot 3, whose health API is in a package of its own. A store that does not
 * decide is {@code UNKNOWN} and not {@code DOWN}, because an application that limits in another way meanwhile must not be
 * taken out of service.
 */
@AutoConfiguration(after = RateLimiterAutoConfiguration.class)
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("ratelimiter")
@ConditionalOnSingleCandidate(RateLimiter.class)
public final class Boot3HealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "rateLimiterHealthIndicator")
    HealthIndicator rateLimiterHealthIndicator(RateLimiter limiter) {
        StoreHealth store = new StoreHealth(limiter);
        return () -> {
            Optional<String> outage = store.outage();
            return Health.status(outage.isEmpty() ? Status.UP : Status.UNKNOWN)
                    .withDetails(store.details(outage))
                    .build();
        };
    }
}
