package io.ratelimit.spring.autoconfigure;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.internal.client.Remotes;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.RuleFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/** Limits on what the HTTP clients send that Spring Boot's builders make. */
@AutoConfiguration(after = RateLimiterAutoConfiguration.class)
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@Import(ClientCustomizers.class)
public final class ClientsRateLimiterAutoConfiguration {

    /** Made only for customizers, of which there are none if no client is configured. */
    @Bean
    @Lazy
    Remotes rateLimiterRemotes(
            RateLimiterProperties properties,
            ConfiguredRules configured,
            RuleFactory rules,
            RateLimiter limiter,
            CallLimiter calls,
            Expressions expressions) {
        return new Remotes(configured.clients(properties, rules), limiter, calls, expressions);
    }
}
