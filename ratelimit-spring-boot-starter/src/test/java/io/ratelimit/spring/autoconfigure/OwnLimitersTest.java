package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.internal.operate.RateLimitsEndpoint;
import io.ratelimit.spring.testing.Contexts;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** Applications with several limiters of their own start with all of Actuator, which shows one only if it is singled out. */
class OwnLimitersTest {

    private static final String HEALTH = "rateLimiterHealthIndicator";

    private final WebApplicationContextRunner application = Contexts.web()
            .withConfiguration(AutoConfigurations.of(
                    EndpointAutoConfiguration.class,
                    WebEndpointAutoConfiguration.class,
                    Boot3HealthAutoConfiguration.class,
                    EndpointRateLimiterAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .withPropertyValues("management.endpoints.web.exposure.include=*")
            .withBean("one", RateLimiter.class, InMemoryRateLimiter::create);

    @Test
    void oneIsShown() {
        application.run(context ->
                assertThat(context).hasSingleBean(RateLimitsEndpoint.class).hasBean(HEALTH));
    }

    @Test
    void twoAreNotShown() {
        application
                .withBean("other", RateLimiter.class, InMemoryRateLimiter::create)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RateLimitsEndpoint.class)
                        .doesNotHaveBean(HEALTH));
    }

    @Test
    void thePrimaryOneOfTwoIsShown() {
        application
                .withBean("other", RateLimiter.class, InMemoryRateLimiter::create, bean -> bean.setPrimary(true))
                .run(context -> assertThat(context)
                        .hasSingleBean(RateLimitsEndpoint.class)
                        .hasBean(HEALTH));
    }
}
