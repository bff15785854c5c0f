package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** What the console shows, end to end. */
@ExtendWith(OutputCaptureExtension.class)
class FailedStartTest {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(RateLimiterAutoConfiguration.class)
    static class Application {}

    @Test
    void theConsoleTellsWhatToDoInsteadOfAStackTrace(CapturedOutput output) {
        SpringApplicationBuilder application =
                new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE);

        assertThatThrownBy(() -> application.run("--rate-limiter.limits.login.max-requests=0"))
                .isInstanceOf(Exception.class);

        assertThat(output)
                .contains(
                        "APPLICATION FAILED TO START",
                        "rate-limiter.limits.login.max-requests: limit 'login': max-requests '0' must be at least 1",
                        "Correct rate-limiter.limits.login.max-requests.")
                .doesNotContain("\tat io.ratelimit");
    }

    @ParameterizedTest
    @ValueSource(strings = {"enabled", "report-only", "observations"})
    void aPlaceholderThatConditionsReadIsExplainedLikeAllOthers(String property, CapturedOutput output) {
        SpringApplicationBuilder application =
                new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE);

        assertThatThrownBy(() -> application.run("--rate-limiter.%s=${no.such}".formatted(property)))
                .isInstanceOf(Exception.class);

        assertThat(output)
                .contains(
                        "APPLICATION FAILED TO START",
                        "RL-112: rate-limiter.%s: '${no.such}' names the placeholder 'no.such'".formatted(property))
                .doesNotContain("\tat io.ratelimit");
    }
}
