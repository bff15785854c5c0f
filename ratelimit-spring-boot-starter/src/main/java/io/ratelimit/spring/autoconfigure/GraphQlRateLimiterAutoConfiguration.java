package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.internal.web.RefusalErrorResolver;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.graphql.execution.DataFetcherExceptionResolver;

/** The answer to what annotated methods refuse in GraphQL. */
@AutoConfiguration
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@ConditionalOnClass(DataFetcherExceptionResolver.class)
public final class GraphQlRateLimiterAutoConfiguration {

    @Bean
    RefusalErrorResolver rateLimiterGraphQlRefusals() {
        return new RefusalErrorResolver();
    }
}
