package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A route applies only where its condition is true. */
class RouteConditionHttpTest {

    @ParameterizedTest
    @EnumSource
    void aRequestWhoseConditionIsFalseIsNeitherLimitedNorCounted(Stack stack) {
        try (TestApp app = TestApp.start(
                stack,
                List.of(ShopController.class),
                "rate-limiter.routes.plain.paths=/plain/**",
                "rate-limiter.routes.plain.max-requests=2",
                "rate-limiter.routes.plain.key=header:X-User",
                "rate-limiter.routes.plain.condition=#request.header('X-Internal') != 'true'")) {
            assertThat(statuses(app, 4, "X-User", "one", "X-Internal", "true")).doesNotContain(429);
            assertThat(statuses(app, 3, "X-User", "one")).endsWith(429).hasSize(3);
            assertThat(statuses(app, 3, "X-User", "one").get(0)).isEqualTo(429);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aConditionOnThePrincipalDecidesAfterAuthenticationWithoutAWarning(Stack stack) {
        try (LogCapture log = LogCapture.start();
                TestApp app = TestApp.startSecured(
                        stack,
                        List.of(ShopController.class, Secured.by(stack)),
                        "rate-limiter.routes.plain.paths=/plain/**",
                        "rate-limiter.routes.plain.max-requests=1",
                        "rate-limiter.routes.plain.key=ip",
                        "rate-limiter.routes.plain.condition=#principal?.name != 'alice'")) {
            assertThat(statuses(app, 3, "Authorization", Secured.basic("alice", "pw")))
                    .doesNotContain(429);
            assertThat(statuses(app, 2, "Authorization", Secured.basic("bob", "pw")))
                    .endsWith(429);
            assertThat(log.messages(Level.WARN)).noneMatch(message -> message.contains("condition"));
        }
    }

    private static List<Integer> statuses(TestApp app, int times, String... headers) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(app.get("/plain/x", headers).status());
        }
        return statuses;
    }
}
