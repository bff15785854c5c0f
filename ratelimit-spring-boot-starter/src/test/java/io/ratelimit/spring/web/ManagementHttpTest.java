package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AppTest;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.testing.Http.Answer;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With actuator, below a context path, behind a proxy: a route for everything is not one for health checks. */
class ManagementHttpTest {

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

    abstract static class OnStack extends AppTest {

        OnStack(Stack stack) {
            super(
                    stack,
                    List.of(AtSettableTime.class, ShopController.class),
                    stack.basePath() + "=/shop",
                    "management.endpoints.web.exposure.include=*",
                    "management.health.redis.enabled=false",
                    "rate-limiter.trusted-proxies=127.0.0.0/8,::1",
                    "rate-limiter.routes.all.paths=/**",
                    "rate-limiter.routes.all.max-requests=3",
                    "rate-limiter.routes.all.key=header:X-User",
                    "rate-limiter.routes.info.paths=/actuator/info",
                    "rate-limiter.routes.info.max-requests=1",
                    "rate-limiter.routes.info.key=header:X-User");
        }

        @Test
        void healthIsNeverLimitedUnlessNamed() {
            for (int i = 0; i < 10; i++) {
                Answer answer = app().get("/actuator/health", "X-User", "probe");
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("RateLimit")).isNull();
            }
            assertThat(app().get("/actuator", "X-User", "probe").header("RateLimit"))
                    .isNull();
        }

        @Test
        void onlyTheEndpointsThemselvesAreSpared() {
            for (String endpoint : List.of("/actuator/health/ping", "/actuator/health/", "/actuator/env/server.port")) {
                assertThat(app().get(endpoint, "X-User", "probe").header("RateLimit"))
                        .as(endpoint)
                        .isNull();
            }
            for (String path : List.of("/actuator/orders", "/actuator/health2", "/actuator/mappings/x")) {
                assertThat(app().get(path, "X-User", "of " + path).header("RateLimit"))
                        .as(path)
                        .isEqualTo("\"all\";r=2;t=60");
            }
        }

        @Test
        void nothingIsSparedByTheDetourOfAnEndpointsPath() {
            assertThat(app().raw("GET", "/shop/actuator/health/..;/..;/plain/x", "X-User", "mia")
                            .header("RateLimit"))
                    .isEqualTo("\"all\";r=2;t=60");
        }

        @Test
        void aManagementEndpointThatARouteNamesIsLimited() {
            assertThat(app().get("/actuator/info", "X-User", "kim").header("RateLimit"))
                    .isEqualTo("\"info\";r=0;t=60");
            assertThat(app().get("/actuator/info", "X-User", "kim").status()).isEqualTo(429);
        }

        @Test
        void pathsBeginBelowTheContextPath() {
            assertThat(app().get("/plain/x", "X-User", "lea").header("RateLimit"))
                    .isEqualTo("\"all\";r=2;t=60");
            assertThat(app().get("/nowhere", "X-User", "lea").header("RateLimit"))
                    .isEqualTo("\"all\";r=1;t=60");
            assertThat(app().get("/actuators", "X-User", "lea").header("RateLimit"))
                    .isEqualTo("\"all\";r=0;t=60");
            assertThat(app().get("/plain/x", "X-User", "lea").status()).isEqualTo(429);
        }

        @Test
        void whoComesThroughATrustedProxyIsCountedByTheAddressItSaw() {
            for (int i = 0; i < 3; i++) {
                assertThat(app().get("/plain/x", "X-Forwarded-For", "198.51.100.1")
                                .status())
                        .isEqualTo(200);
            }
            assertThat(app().get("/plain/x", "X-Forwarded-For", "198.51.100.1").status())
                    .isEqualTo(429);
            assertThat(app().get("/plain/x", "X-Forwarded-For", "8.8.8.8, 198.51.100.1")
                            .status())
                    .isEqualTo(429);
            assertThat(app().get("/plain/x", "X-Forwarded-For", "198.51.100.2").status())
                    .isEqualTo(200);
        }
    }
}
