package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

/** An application that limits nothing does not pay for a limiter, and the first call of one that does finds it made. */
class MadeWhenNeededTest {

    private final WebApplicationContextRunner application = Contexts.web();

    @Test
    void noLimiterIsMadeWhereNothingIsLimited() {
        application.run(context ->
                assertThat(isMade(context.getSourceApplicationContext())).isFalse());
    }

    @Test
    void whatAdmitsAllIsMadeWhenItIsLookedUp() {
        application.withPropertyValues("rate-limiter.enabled=false").run(context -> {
            ConfigurableListableBeanFactory beans =
                    context.getSourceApplicationContext().getBeanFactory();
            assertThat(beans.containsSingleton("rateLimiterAdmittingAll")).isFalse();
            assertThat(context).hasSingleBean(RateLimiter.class);
        });
    }

    @Test
    void anAnnotatedMethodNeedsIt() {
        application
                .withBean(Annotated.class)
                .run(context -> assertThat(isMade(context.getSourceApplicationContext()))
                        .isTrue());
    }

    @Test
    void aConfiguredLimitNeedsIt() {
        application
                .withPropertyValues("rate-limiter.max-requests=5")
                .run(context -> assertThat(isMade(context.getSourceApplicationContext()))
                        .isTrue());
    }

    @Test
    void aRouteNeedsIt() {
        application
                .withPropertyValues("rate-limiter.routes.api.paths=/api/**", "rate-limiter.routes.api.max-requests=5")
                .run(context -> assertThat(isMade(context.getSourceApplicationContext()))
                        .isTrue());
    }

    @Test
    void itIsMadeWhenItIsLookedUp() {
        Limit own = Limit.of("own", Algorithm.FIXED_WINDOW, 1, Duration.ofMinutes(1));
        application.run(context -> assertThat(context.getBean(RateLimiter.class)
                        .acquire(Acquisition.of(own, "user"))
                        .allowed())
                .isTrue());
    }

    private static boolean isMade(ConfigurableApplicationContext context) {
        return context.getBeanFactory().containsSingleton("rateLimiterStackOfStore");
    }

    static class Annotated {

        @RateLimited(maxRequests = "5", windowSize = "1m")
        public void call() {}
    }
}
