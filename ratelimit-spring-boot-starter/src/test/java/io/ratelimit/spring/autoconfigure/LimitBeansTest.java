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
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;

class LimitBeansTest {

    static class InCode {
        @Autowired
        RateLimiter limiter;

        @Autowired
        @Qualifier("login")
        Limit login;

        @Autowired
        @Qualifier("default")
        Limit theDefault;
    }

    static class Annotated {
        @RateLimited(value = "login", key = "#user")
        public void logIn(String user) {}
    }

    @Test
    void namedLimitsAreInjectable() {
        Contexts.plain()
                .withPropertyValues(
                        "rate-limiter.max-requests=5",
                        "rate-limiter.limits.login.max-requests=7",
                        "rate-limiter.limits.login.window-size=15m",
                        "rate-limiter.limits.hourly.max-requests=9")
                .withBean(InCode.class)
                .withBean("login", String.class, () -> "a bean of the application's own may have the same name")
                .run(context -> {
                    InCode code = context.getBean(InCode.class);
                    assertThat(code.login)
                            .isEqualTo(Limit.of("login", Algorithm.SLIDING_WINDOW_LOG, 7, Duration.ofMinutes(15)));
                    assertThat(code.theDefault.maxRequests()).isEqualTo(5);
                });
    }

    @Test
    void codeAndAnnotationCountTogether() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.max-requests=5", "rate-limiter.limits.login.max-requests=3")
                .withBean(InCode.class)
                .withBean(Annotated.class)
                .run(context -> {
                    InCode code = context.getBean(InCode.class);
                    context.getBean(Annotated.class).logIn("alice");
                    assertThat(code.limiter
                                    .acquire(Acquisition.of(code.login, "value:alice"))
                                    .remaining())
                            .isEqualTo(1);
                });
    }
}
