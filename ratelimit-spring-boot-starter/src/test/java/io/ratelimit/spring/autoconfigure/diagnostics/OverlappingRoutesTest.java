package io.ratelimit.spring.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.LooksUpLimits;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;

/** Routes that charge one limit to one key twice for the same request. */
class OverlappingRoutesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.paths=/api/** b.paths=/api/**",
                "a.paths=/api/** b.paths=/api/search",
                "a.paths=/api/search b.paths=/x,/api/{id}",
                "a.paths=/api/{id} b.paths=/api/*",
                "a.paths=/api/{id:\\d+} b.paths=/api/{id:\\d+}",
                "a.paths=/api/** b.paths=/api/** a.methods=get,POST b.methods=GET",
                "a.paths=/api/** b.paths=/api/** a.methods=GET b.methods=HEAD",
                "a.paths=/api/** b.paths=/api/** a.key=ip b.key=ip",
                "a.paths=/api/** b.paths=/api/** b.key=caller",
                "a.paths=/api/** b.paths=/api/** b.key=principal",
                "a.paths=/api/** b.paths=/api/search a.exclude=/api/other",
                "a.paths=/api/** b.paths=/api/** a.exclude=/api/search",
                "a.paths=/api/** b.paths=/api/** a.exclude=/api/*",
                "a.paths=/api/** b.paths=/api/v2/{*rest} a.exclude=/api/v2/*",
                "a.paths=/api/** b.paths=/api/{id} a.exclude=/api/search",
                "a.paths=/api/** b.paths=/api/search,/api/other a.exclude=/api/search",
                "a.paths=/actuator/** b.paths=/actuator/prometheus",
                "a.paths=/api/** b.paths=/api/** b.exclude=/api/*/*"
            })
    void warnsOfTwoThatMeet(String routes) {
        assertThat(warnings(routes))
                .singleElement()
                .asString()
                .contains(
                        "rate-limiter.routes.a and rate-limiter.routes.b", "'hourly'", "charged twice", "Leave it out");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.paths=/api/** b.paths=/other/**",
                "a.paths=/api/** b.paths=/api/search a.exclude=/api/search",
                "a.paths=/api/search b.paths=/api/** b.exclude=/x,/api/{id}",
                "a.paths=/api/** b.paths=/api/v2/** a.exclude=/api/v2/**",
                "a.paths=/api/** b.paths=/api/v2/search,/api/v2/{id} a.exclude=/api/v2/**",
                "a.paths=/api/{id:\\d+} b.paths=/api/search",
                "a.paths=/api/** b.paths=/api/** a.methods=GET b.methods=POST",
                "a.paths=/api/** b.paths=/api/** a.key=ip",
                "a.paths=/** b.paths=/actuator/prometheus",
                "a.paths=/api/** b.paths=/api/** b.report-only=true",
                "a.paths=/api/** b.paths=/api/** b.limits=burst"
            })
    void leavesThoseAloneThatDoNot(String routes) {
        assertThat(warnings(routes)).isEmpty();
    }

    @Test
    void warnsOfARouteThatNamesALimitTwice() {
        assertThat(warnings("a.paths=/api/** b.paths=/other a.limits=hourly,burst,hourly"))
                .singleElement()
                .asString()
                .contains("rate-limiter.routes.a.limits", "'hourly'", "twice", "Name it once")
                .doesNotContain("burst");
    }

    @Test
    void warnsOfLevelsThatChargeOneSubjectTwice() {
        assertThat(
                        warnings(
                                "b.paths=/other c.paths=/api/** c.levels[0].limits=hourly c.levels[0].key=ip c.levels[1].limits=burst,hourly c.levels[1].key=ip"))
                .singleElement()
                .asString()
                .contains("rate-limiter.routes.c.levels", "'hourly'", "twice");
        assertThat(
                        warnings(
                                "a.paths=/api/** b.paths=/other c.paths=/api/** c.levels[0].limits=burst c.levels[0].key=ip c.levels[1].limits=hourly c.levels[1].key=caller"))
                .singleElement()
                .asString()
                .contains("rate-limiter.routes.a and rate-limiter.routes.c", "'hourly'", "'caller'");
        assertThat(
                        warnings(
                                "b.paths=/other c.paths=/api/** c.levels[0].limits=hourly c.levels[0].key=ip c.levels[1].limits=hourly c.levels[1].key=principal"))
                .isEmpty();
    }

    private static List<String> warnings(String routes) {
        Stream<String> limits = Stream.of(
                "spring.main.cloud-platform=none",
                "rate-limiter.limits.hourly.max-requests=5",
                "rate-limiter.limits.burst.max-requests=5",
                routes.contains("a.paths") ? "rate-limiter.routes.a.limits=hourly" : "",
                "rate-limiter.routes.b.limits=hourly");
        Stream<String> texts = Stream.of(routes.split(" ", -1)).map("rate-limiter.routes."::concat);
        try (LogCapture log = LogCapture.start()) {
            Contexts.web()
                    .withConfiguration(
                            AutoConfigurations.of(EndpointAutoConfiguration.class, WebEndpointAutoConfiguration.class))
                    .withBean(LooksUpLimits.class)
                    .withPropertyValues(Stream.concat(limits, texts)
                            .filter(property -> !property.isEmpty())
                            .toArray(String[]::new))
                    .run(context -> assertThat(context).hasNotFailed());
            return log.messages(Level.WARN);
        }
    }
}
