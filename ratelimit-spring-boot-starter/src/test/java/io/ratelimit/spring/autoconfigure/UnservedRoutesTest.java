package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.internal.reactive.RateLimitWebFilter;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.StartFailure;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.web.servlet.DispatcherServlet;

/** Routes where nothing would limit them. */
class UnservedRoutesTest {

    private static final String[] ROUTE = {
        "rate-limiter.routes.api.paths=/api/**", "rate-limiter.routes.api.max-requests=5"
    };

    @Test
    void endTheStartOfAWebApplicationWithoutSpringMvc() {
        Contexts.web()
                .withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
                .withPropertyValues(ROUTE)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("rate-limiter.routes: routes need Spring MVC or WebFlux"));
    }

    @Test
    void areServedByAReactiveApplication() {
        Contexts.reactive().withPropertyValues(ROUTE).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBeansOfType(RateLimitWebFilter.class)).hasSize(3);
        });
        Contexts.reactive().run(context -> assertThat(context).doesNotHaveBean(RateLimitWebFilter.class));
    }

    @Test
    void warnWhereThereAreNoRequests() {
        try (LogCapture log = LogCapture.start()) {
            Contexts.plain()
                    .withPropertyValues(ROUTE)
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(log.messages(Level.WARN))
                    .contains("RL-251: rate-limiter.routes limit nothing: this is not a web application");
        }
    }

    @Test
    void areNobodysBusinessWhenDisabled() {
        Contexts.reactive()
                .withPropertyValues(ROUTE)
                .withPropertyValues("rate-limiter.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
