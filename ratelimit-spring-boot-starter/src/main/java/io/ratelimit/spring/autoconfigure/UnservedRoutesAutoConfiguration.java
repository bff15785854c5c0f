package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import io.ratelimit.spring.internal.rule.Routes;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** Stops the start of a web application that has routes but no filter for them, because they would limit nothing. */
@AutoConfiguration(after = {ServletRateLimiterAutoConfiguration.class, ReactiveRateLimiterAutoConfiguration.class})
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@Conditional(RouteBeans.OnRoutesCondition.class)
public final class UnservedRoutesAutoConfiguration {

    @Bean
    @ConditionalOnWebApplication
    @ConditionalOnMissingBean(Routes.class)
    SmartInitializingSingleton rateLimiterRoutesNeedSpringsWeb() {
        return () -> {
            throw new InvalidRateLimitException(
                    MessageCode.ROUTES_WITHOUT_SPRING_WEB,
                    "rate-limiter.routes",
                    "routes need Spring MVC or WebFlux, and this web application uses neither: remove the routes and use"
                            + " the RateLimiter bean, or set rate-limiter.enabled=false");
        };
    }

    @Bean
    @ConditionalOnNotWebApplication
    @ConditionalOnMissingBean(Routes.class)
    SmartInitializingSingleton rateLimiterRoutesNeedRequests() {
        return () -> new Warning(MessageCode.ROUTES_WITHOUT_REQUESTS)
                .log("rate-limiter.routes limit nothing: this is not a web application");
    }
}
