package io.ratelimit.spring.autoconfigure;

import io.micrometer.context.ContextRegistry;
import io.ratelimit.spring.internal.servlet.ServletCurrentRequest;
import io.ratelimit.spring.internal.web.RefusalErrorResolver;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.graphql.execution.DataFetcherExceptionResolver;

/** The answer to what annotated methods refuse in GraphQL, and the request that they are called for. */
@AutoConfiguration
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@ConditionalOnClass(DataFetcherExceptionResolver.class)
public final class GraphQlRateLimiterAutoConfiguration {

    @Bean
    RefusalErrorResolver rateLimiterGraphQlRefusals() {
        return new RefusalErrorResolver();
    }

    /** Fields below an asynchronous one are fetched on other threads. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class PropagatedRequests {

        PropagatedRequests() {
            ContextRegistry.getInstance().registerThreadLocalAccessor(new ServletCurrentRequest.Propagation());
        }
    }
}
