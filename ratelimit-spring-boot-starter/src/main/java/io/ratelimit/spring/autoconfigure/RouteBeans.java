package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.internal.rule.SubjectKeyParser;
import io.ratelimit.spring.internal.web.ManagementEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** The routes of a web application, the same for servlet and reactive ones. */
@Configuration(proxyBeanMethods = false)
class RouteBeans {

    @Bean
    @ConditionalOnMissingBean
    @Conditional(OnRoutesCondition.class)
    Routes rateLimiterConfiguredRoutes(
            RateLimiterProperties properties,
            Limits limits,
            SubjectKeyParser keys,
            Expressions expressions,
            ApplicationContext context) {
        return new ConfiguredRoutes(properties, limits, keys, expressions).routes(ManagementEndpoints.of(context));
    }
}
