package io.ratelimit.spring.autoconfigure;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.client.Remotes;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.Expressions;
import org.springframework.beans.factory.ObjectProvider;
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

    /**
     * Made only for customizers, of which there are none if no client is configured. Asks for the limiter by itself, because what
     * that needs, such as a LimitProvider, may have a client.
     */
    @Bean
    @Lazy
    Remotes rateLimiterRemotes(
            RateLimiterProperties properties,
            Limits limits,
            ConfiguredRules configured,
            ObjectProvider<RateLimiter> limiter,
            ObjectProvider<CallLimiter> calls,
            Expressions expressions) {
        return new Remotes(
                configured.clients(properties, configured.of(properties, limits)),
                limiter::getObject,
                calls::getObject,
                expressions);
    }
}
