package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A route applies only where its condition is true. */
class RouteConditionHttpTest {

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET);
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE);
        }
    }

    abstract static class OnStack {
        private final Stack stack;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @Test
        void aRequestWhoseConditionIsFalseIsNeitherLimitedNorCounted() {
            try (TestApp app = TestApp.start(
                    stack,
                    List.of(ShopController.class),
                    "rate-limiter.window-size=1d",
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.max-requests=2",
                    "rate-limiter.routes.plain.key=header:X-User",
                    "rate-limiter.routes.plain.condition=#request.header('X-Internal') != 'true'")) {
                assertThat(statuses(app, 4, "X-User", "one", "X-Internal", "true"))
                        .doesNotContain(429);
                assertThat(statuses(app, 3, "X-User", "one")).endsWith(429).hasSize(3);
                assertThat(statuses(app, 3, "X-User", "one").get(0)).isEqualTo(429);
            }
        }

        @Test
        void aPathThatIsExcludedIsNeitherLimitedNorCounted() {
            try (TestApp app = TestApp.start(
                    stack,
                    List.of(ShopController.class),
                    "rate-limiter.window-size=1d",
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.exclude=/plain/open,/plain/files/**",
                    "rate-limiter.routes.plain.max-requests=2")) {
                for (String path : List.of("/plain/open", "/plain/files", "/plain/files/a/b")) {
                    assertThat(app.raw("GET", path).header("RateLimit")).isNull();
                }
                assertThat(app.raw("GET", "/plain/open/../x").header("RateLimit"))
                        .startsWith("\"plain\";r=1;");
                assertThat(app.raw("GET", "/plain/files/../x").header("RateLimit"))
                        .startsWith("\"plain\";r=0;");
                assertThat(app.get("/plain/x").status()).isEqualTo(429);
                assertThat(app.get("/plain/open").status()).isEqualTo(200);
            }
        }

        @Test
        void aConditionOnThePrincipalDecidesAfterAuthenticationWithoutAWarning() {
            try (LogCapture log = LogCapture.start();
                    TestApp app = TestApp.startSecured(
                            stack,
                            List.of(ShopController.class, Secured.by(stack)),
                            "rate-limiter.window-size=1d",
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
}
