package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Which requests a route limits, and how often it counts them. */
class RouteHttpTest {

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
        private final TestApp app;

        OnStack(Stack stack) {
            this.app = Shop.on(stack);
        }

        @Test
        void aRouteOfTwoLimitsTellsOfBoth() {
            Answer allowed = app.get("/api/x", "X-User", "rob");

            assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"burst\";q=20;w=2,\"hourly\";q=1000;w=3600");
            assertThat(allowed.header("RateLimit")).startsWith("\"burst\";r=19;t=1,\"hourly\";r=999;t=");
            assertThat(allowed.header("X-RateLimit-Limit")).isEqualTo("20");
            assertThat(allowed.header("X-RateLimit-Remaining")).isEqualTo("19");
        }

        @Test
        void allRoutesThatMatchAreOneDecision() {
            assertThat(get("/two/narrow", "ann").header("RateLimit")).contains("\"wide\";r=2", "\"narrow\";r=0");

            Answer refused = get("/two/narrow", "ann");

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.body()).contains("\"violated-policies\":[\"narrow\"]");
            assertThat(refused.header("RateLimit")).contains("\"wide\";r=2", "\"narrow\";r=0");
            assertThat(get("/two/elsewhere", "ann").header("RateLimit")).startsWith("\"wide\";r=1");
        }

        @Test
        void whatNoRouteMatchesIsNotLimited() {
            Answer answer = get("/annotated?user=x", "ned");

            assertThat(answer.header("RateLimit")).doesNotContain("plain");
            assertThat(get("/nowhere", "ned").header("RateLimit")).isNull();
        }

        @Test
        void methodsAreLimitedAsNamedAndHeadWithGet() {
            assertThat(app.send("POST", "/get-only", "X-User", "gus").header("RateLimit"))
                    .isNull();
            assertThat(app.send("HEAD", "/get-only", "X-User", "gus").status()).isEqualTo(200);
            assertThat(app.send("HEAD", "/get-only", "X-User", "gus").status()).isEqualTo(429);
            assertThat(get("/get-only", "gus").status()).isEqualTo(429);
            assertThat(app.send("POST", "/get-only", "X-User", "gus").status()).isEqualTo(200);
        }

        @Test
        void aCorsPreflightPassesUncounted() {
            for (int i = 0; i < 3; i++) {
                Answer preflight = app.send(
                        "OPTIONS",
                        "/cors",
                        "X-User",
                        "cor",
                        "Origin",
                        "https://example.org",
                        "Access-Control-Request-Method",
                        "GET");
                assertThat(preflight.status()).isEqualTo(200);
                assertThat(preflight.header("Access-Control-Allow-Origin")).isEqualTo("*");
            }
            assertThat(get("/cors", "cor").status()).isEqualTo(200);
            assertThat(get("/cors", "cor").status()).isEqualTo(429);
        }

        @Test
        void anUntrustedClientCannotChooseItsAddress() {
            assertThat(app.get("/by-ip", "X-Forwarded-For", "198.51.100.1").status())
                    .isEqualTo(200);
            assertThat(app.get("/by-ip", "X-Forwarded-For", "198.51.100.2").status())
                    .isEqualTo(429);
            assertThat(app.get("/by-ip", "Forwarded", "for=198.51.100.3").status())
                    .isEqualTo(429);
        }

        @Test
        void withoutTheHeaderOfTheKeyTheAddressIsCountedAndNotEverybody() {
            for (int i = 0; i < 5; i++) {
                assertThat(app.get("/plain/x").status()).isEqualTo(200);
            }
            assertThat(app.get("/plain/x").status()).isEqualTo(429);
            assertThat(app.get("/plain/x", "X-User", "global").status()).isEqualTo(200);
            assertThat(app.get("/plain/x", "X-User", "ip:127.0.0.1").status()).isEqualTo(200);
        }

        private Answer get(String path, String user) {
            return app.get(path, "X-User", user);
        }
    }
}
