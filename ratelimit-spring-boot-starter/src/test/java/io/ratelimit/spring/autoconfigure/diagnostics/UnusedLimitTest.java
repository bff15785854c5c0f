package io.ratelimit.spring.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.Limit;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** A limit that is configured, and that nothing asks for: mostly a name that was spelt wrong. */
class UnusedLimitTest {

    static class Annotated {
        @RateLimited("${limit:spare}")
        public void call() {}
    }

    @Lazy
    static class MadeLater extends Annotated {}

    record Injected(@Qualifier("spare") Limit limit) {}

    record AllInjected(Map<String, Limit> limits) {}

    record LooksThemUp(Limits limits) {}

    static class AnnotatedWithDefault {
        @RateLimited
        public void call() {}
    }

    @Test
    void warnsOfALimitThatNothingUses() {
        assertThat(warnings(contexts -> contexts.withPropertyValues("rate-limiter.limits.spare.max-requests=5")))
                .singleElement()
                .asString()
                .contains("rate-limiter.limits.spare", "no route, annotation or bean uses", "remove it");
    }

    @Test
    void warnsOfTheDefaultLimitToo() {
        assertThat(warnings(contexts -> contexts.withPropertyValues("rate-limiter.max-requests=5")))
                .singleElement()
                .asString()
                .contains("rate-limiter.max-requests", "'default'");
        assertThat(warnings(contexts -> contexts.withBean(AnnotatedWithDefault.class)
                        .withPropertyValues("rate-limiter.max-requests=5")))
                .isEmpty();
    }

    @Test
    void warnsOfWhatAnEnvironmentVariableAddsBesideTheLimitItMeans() {
        assertThat(warnings(contexts -> contexts.withPropertyValues(
                                "rate-limiter.limits.e-f.max-requests=5",
                                "rate-limiter.routes.api.paths=/api",
                                "rate-limiter.routes.api.limits=e-f")
                        .withInitializer(context -> context.getEnvironment()
                                .getPropertySources()
                                .replace(
                                        "systemEnvironment",
                                        new SystemEnvironmentPropertySource(
                                                "systemEnvironment",
                                                Map.of("RATELIMITER_LIMITS_EF_MAXREQUESTS", "9"))))))
                .anySatisfy(warning ->
                        assertThat(warning).contains("rate-limiter.limits.ef", "no route, annotation or bean uses"));
    }

    @ParameterizedTest
    @ValueSource(classes = {Annotated.class, MadeLater.class, Injected.class, AllInjected.class, LooksThemUp.class})
    void believesABeanThatUsesIt(Class<?> bean) {
        assertThat(warnings(contexts ->
                        contexts.withBean(bean).withPropertyValues("rate-limiter.limits.spare.max-requests=5")))
                .isEmpty();
    }

    @Test
    void believesABeanThatIsNamedLikeThoseOfTheStarter() {
        assertThat(warnings(contexts -> contexts.withBean("rateLimiterHelper", LooksThemUp.class)
                        .withPropertyValues("rate-limiter.limits.spare.max-requests=5")))
                .isEmpty();
    }

    @Test
    void believesARouteThatUsesIt() {
        assertThat(warnings(contexts -> contexts.withPropertyValues(
                        "rate-limiter.limits.spare.max-requests=5",
                        "rate-limiter.routes.api.paths=/api",
                        "rate-limiter.routes.api.limits=spare")))
                .isEmpty();
    }

    private static List<String> warnings(UnaryOperator<WebApplicationContextRunner> application) {
        try (LogCapture log = LogCapture.start()) {
            application
                    .apply(Contexts.web().withPropertyValues("spring.main.cloud-platform=none"))
                    .run(context -> assertThat(context).hasNotFailed());
            return log.messages(Level.WARN);
        }
    }
}
