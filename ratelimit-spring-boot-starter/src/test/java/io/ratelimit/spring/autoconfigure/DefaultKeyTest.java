package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.StartFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Lazy;

/** {@code rate-limiter.key} is checked at the start, also where every route and annotation has a key of its own. */
class DefaultKeyTest {

    static class OwnKey {
        @RateLimited(value = "login", key = "ip")
        public void call(String userId) {}
    }

    static class DefaultKey {
        @RateLimited("login")
        public void call(String userId) {}
    }

    @Lazy
    static class MadeLater extends DefaultKey {}

    private final ApplicationContextRunner contexts =
            Contexts.plain().withPropertyValues("rate-limiter.limits.login.max-requests=5");

    @ParameterizedTest
    @ValueSource(strings = {"#nope", "#userId", "#request.nope", "@nobean.x()", "nope"})
    void isAnErrorIfNothingCanUseIt(String key) {
        contexts.withPropertyValues("rate-limiter.key=" + key)
                .withBean(OwnKey.class)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .containsPattern("^RL-\\d+: rate-limiter.key: ")
                        .contains("'" + key + "'"));
    }

    @ParameterizedTest
    @ValueSource(classes = {DefaultKey.class, MadeLater.class})
    void mayNameArgumentsOfTheMethodsThatUseIt(Class<?> bean) {
        contexts.withPropertyValues("rate-limiter.key=#userId")
                .withBean(bean)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void mayBeAnExpressionOverRequests() {
        contexts.withPropertyValues("rate-limiter.key=#request?.header('X-Api-Key')")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
