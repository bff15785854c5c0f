package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Endpoints that are not below {@code /actuator}: a route for everything is not one for them either. */
class HealthElsewhereHttpTest {

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

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {
        private final Stack stack;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @Test
        void probesOnTheMainPortAreSpared() {
            try (TestApp app = start(
                    "management.endpoint.health.probes.enabled=true",
                    "management.endpoint.health.probes.add-additional-paths=true",
                    "management.endpoint.health.group.own.include=ping",
                    "management.endpoint.health.group.own.additional-path=server:/healthz")) {
                assertSpared(app, "/livez");
                assertSpared(app, "/readyz");
                assertSpared(app, "/healthz");
                assertThat(app.get("/plain/x").header("RateLimit")).isEqualTo("\"all\";r=2;t=60");
            }
        }

        @Test
        void endpointsAtTheRootAreSpared() {
            try (TestApp app = start("management.endpoints.web.base-path=/")) {
                assertSpared(app, "/health");
                assertThat(app.get("/plain/x").header("RateLimit")).isEqualTo("\"all\";r=2;t=60");
            }
        }

        @Test
        void endpointsBelowAPathWithASlashAtItsEndAreSpared() {
            try (TestApp app = start("management.endpoints.web.base-path=/manage/")) {
                assertSpared(app, "/manage/health");
                assertThat(app.get("/manage").header("RateLimit")).isNull();
                assertThat(app.get("/manage/orders").header("RateLimit")).isEqualTo("\"all\";r=2;t=60");
            }
        }

        @Test
        void endpointsOnAPortOfTheirOwnHideNothingHere() {
            try (TestApp app = start("management.endpoints.web.base-path=/", "management.server.port=0")) {
                assertThat(app.get("/health").header("RateLimit")).isEqualTo("\"all\";r=2;t=60");
            }
        }

        @Test
        void endpointsBelowTheirUsualPathOnAPortOfTheirOwnHideNothingHere() {
            try (TestApp app = start("management.server.port=0")) {
                assertThat(app.get("/actuator/health").header("RateLimit")).isEqualTo("\"all\";r=2;t=60");
            }
        }

        /** As {@code ${MANAGEMENT_PORT:}} is without the variable. */
        @Test
        void endpointsAtAPortThatIsEmptyAreSpared() {
            try (TestApp app = start("management.server.port=")) {
                assertSpared(app, "/actuator/health");
            }
        }

        private TestApp start(String... management) {
            String[] properties = Stream.concat(
                            Stream.of(
                                    "management.health.redis.enabled=false",
                                    "rate-limiter.routes.all.paths=/**",
                                    "rate-limiter.routes.all.key=global",
                                    "rate-limiter.routes.all.max-requests=3"),
                            Stream.of(management))
                    .toArray(String[]::new);
            return TestApp.start(stack, List.of(AtSettableTime.class, ShopController.class), properties);
        }

        private void assertSpared(TestApp app, String path) {
            Answer answer = app.get(path);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).contains("\"status\":\"UP\"");
            assertThat(answer.header("RateLimit")).isNull();
        }
    }
}
