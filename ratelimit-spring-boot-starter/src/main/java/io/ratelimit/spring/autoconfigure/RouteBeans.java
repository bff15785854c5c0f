package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.internal.rule.LiveRoutes;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.internal.rule.RuleFactory;
import io.ratelimit.spring.internal.web.ManagementEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** The routes of a web application, the same for servlet and reactive ones. */
@Configuration(proxyBeanMethods = false)
@Conditional(RouteBeans.OnRoutesCondition.class)
class RouteBeans {

    @Bean
    Routes rateLimiterConfiguredRoutes(
            RateLimiterProperties properties, RuleFactory rules, ApplicationContext context) {
        return new ConfiguredRoutes(properties, rules).routes(ManagementEndpoints.of(context));
    }

    @Bean
    LiveRoutes rateLimiterLiveRoutes(Routes routes) {
        return new LiveRoutes(routes);
    }

    /**
     * True if {@code rate-limiter.routes} or {@code rate-limiter.deny} names any: without one no filter is registered. Looks at names only, because a
     * condition is evaluated more than once.
     */
    static final class OnRoutesCondition extends SpringBootCondition {

        private static final ConfigurationPropertyName ROUTES = ConfigurationPropertyName.of("rate-limiter.routes");
        private static final ConfigurationPropertyName DENY = ConfigurationPropertyName.of("rate-limiter.deny");

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            boolean any = WrittenValues.areAt(context.getEnvironment(), ROUTES, DENY);
            return new ConditionOutcome(
                    any, ConditionMessage.forCondition("rate-limiter.routes").because("any: " + any));
        }
    }
}
