package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What {@code allow} lists is never limited, and what {@code deny} lists is answered with 403. */
class AccessHttpTest {

    @Configuration(proxyBeanMethods = false)
    static class Meters {
        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

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
        private TestApp app;
        private TestApp secured;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @BeforeAll
        void start() {
            app = TestApp.start(
                    stack,
                    List.of(Meters.class, ShopController.class),
                    "management.endpoints.web.exposure.include=ratelimits",
                    "rate-limiter.trusted-proxies=127.0.0.0/8,::1",
                    "rate-limiter.allow=10.0.0.0/8,2001:db8:1::/48,::ffff:192.168.0.0/112,header:X-Probe:yes:1",
                    "rate-limiter.deny=203.0.113.0/24,2001:db8:1::bad,10.6.6.6,header:X-Api-Key:leaked",
                    "rate-limiter.routes.api.paths=/api/**",
                    "rate-limiter.routes.api.max-requests=1",
                    "rate-limiter.routes.api.window-size=1d",
                    "rate-limiter.routes.api.key=ip",
                    "rate-limiter.routes.api.allow=198.51.100.7",
                    "rate-limiter.routes.api.deny=198.51.100.66",
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.max-requests=1",
                    "rate-limiter.routes.plain.window-size=1d",
                    "rate-limiter.routes.plain.key=ip");
            secured = TestApp.startSecured(
                    stack,
                    List.of(Meters.class, Secured.by(stack), ShopController.class),
                    "rate-limiter.allow=principal:alice",
                    "rate-limiter.deny=principal:bob,header:X-Api-Key:leaked",
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.max-requests=1",
                    "rate-limiter.routes.plain.window-size=1d",
                    "rate-limiter.routes.plain.key=ip");
        }

        @AfterAll
        void stop() {
            app.close();
            secured.close();
        }

        @Test
        void aRouteMayHaveTheNameOfTheList() {
            try (TestApp named = TestApp.start(
                    stack,
                    List.of(Meters.class, ShopController.class),
                    "rate-limiter.deny=203.0.113.0/24",
                    "rate-limiter.routes.deny.paths=/plain/**",
                    "rate-limiter.routes.deny.max-requests=1",
                    "rate-limiter.routes.deny.key=ip")) {
                assertThat(named.get("/plain/x").status()).isEqualTo(200);
                assertThat(named.get("/plain/x").status()).isEqualTo(429);
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"10.1.2.3", "2001:db8:1:2::3", "192.168.7.8", "::ffff:10.4.5.6", "64:ff9b::10.7.7.7"})
        void anAllowedNetworkIsNeverLimited(String address) {
            double before = counted(app, "rate.limiter.allowed");
            for (int i = 0; i < 3; i++) {
                Answer answer = from(address, "/api/x");
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("RateLimit")).isNull();
            }
            assertThat(counted(app, "rate.limiter.allowed")).isEqualTo(before + 3);
        }

        @Test
        void anAllowedHeaderIsNeverLimited() {
            for (int i = 0; i < 3; i++) {
                assertThat(from("192.0.2.1", "/plain/x", "x-probe", "yes:1").status())
                        .isEqualTo(200);
            }
            assertThat(from("192.0.2.1", "/plain/x", "x-probe", "yes:2").header("RateLimit"))
                    .contains("r=0");
            assertThat(from("192.0.2.1", "/plain/x").status()).isEqualTo(429);
        }

        @Test
        void aRouteAllowsForItselfOnly() {
            for (int i = 0; i < 3; i++) {
                assertThat(from("198.51.100.7", "/api/x").status()).isEqualTo(200);
            }
            assertThat(from("198.51.100.7", "/plain/x").status()).isEqualTo(200);
            assertThat(from("198.51.100.7", "/plain/x").status()).isEqualTo(429);
        }

        @Test
        void anAnnotationDoesNotLimitWhatIsAllowed() {
            for (int i = 0; i < 4; i++) {
                assertThat(from("10.1.2.3", "/annotated?user=ann").status()).isEqualTo(200);
            }
            assertThat(from("192.0.2.2", "/annotated?user=ann").status()).isEqualTo(200);
            assertThat(from("192.0.2.2", "/annotated?user=ann").status()).isEqualTo(200);
            assertThat(from("192.0.2.2", "/annotated?user=ann").status()).isEqualTo(429);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"203.0.113.9", "2001:db8:1::bad", "10.6.6.6", "::ffff:203.0.113.8", "64:ff9b::203.0.113.7"})
        void whatIsDeniedIsForbiddenWhereverItAsks(String address) {
            double before = counted(app, "rate.limiter.denied");
            for (String path : List.of("/api/x", "/plain/x", "/get-only", "/no/such", "/annotated?user=bea")) {
                assertForbidden(from(address, path));
            }
            assertThat(counted(app, "rate.limiter.denied")).isEqualTo(before + 5);
        }

        @Test
        void aDeniedHeaderIsForbiddenAlsoFromAnAllowedNetwork() {
            assertForbidden(from("10.1.2.3", "/api/x", "X-Api-Key", "leaked"));
            assertThat(from("10.1.2.3", "/api/x", "X-Api-Key", "Leaked").status())
                    .isEqualTo(200);
        }

        @Test
        void theNeighbourOfADeniedAddressIsNotDenied() {
            assertThat(from("2001:db8:1::bae", "/api/x").status()).isEqualTo(200);
        }

        @Test
        void aHeaderThatContradictsTheProxyHidesNobody() {
            assertForbidden(from("203.0.113.9", "/api/x", "Forwarded", "for=192.0.2.9"));
            assertThat(from("192.0.2.3", "/plain/x", "Forwarded", "for=10.1.1.1")
                            .header("RateLimit"))
                    .isNotNull();
        }

        @ParameterizedTest
        @ValueSource(strings = {"/api/x", "/%61pi/x", "//api/x", "/api;a=b/x", "/x/../api/x"})
        void aRouteDeniesEverySpellingOfItsPath(String path) {
            Answer answer = app.raw("GET", path, "X-Forwarded-For", "198.51.100.66");
            assertThat(answer.status()).isIn(403, 400, 404);
            assertThat(app.get("/plain/x", "X-Forwarded-For", "198.51.100.66").status())
                    .isNotEqualTo(403);
        }

        @Test
        void managementEndpointsAnswerWhomeverTheyAnswer() {
            assertThat(from("203.0.113.9", "/actuator/ratelimits").status()).isEqualTo(200);
            assertForbidden(from("203.0.113.9", "/actuator/none"));
        }

        @Test
        void theEndpointExplainsBoth() {
            assertThat(explained("10.1.2.3").body()).contains("allowed by an entry of allow");
            assertThat(explained("203.0.113.9").body())
                    .contains("\"refusedBy\":[\"deny\"]")
                    .contains("refuses with 403");
        }

        @ParameterizedTest
        @CsvSource({"alice, pw, 200, 200", "bob, pw, 403, 403", "bob, wrong, 401, 429"})
        void principalsAreJudgedAfterAuthentication(String user, String password, int first, int second) {
            String path = "/plain/" + user + password;
            assertThat(secured.get(path, "Authorization", Secured.basic(user, password))
                            .status())
                    .isEqualTo(first);
            assertThat(secured.get(path, "Authorization", Secured.basic(user, password))
                            .status())
                    .isEqualTo(second);
        }

        @Test
        void aDeniedHeaderIsForbiddenBeforeAuthentication() {
            assertForbidden(secured.get("/plain/x", "X-Api-Key", "leaked"));
            assertForbidden(secured.get("/two/x", "X-Api-Key", "leaked"));
        }

        @Test
        void aDeniedPrincipalIsForbiddenWithoutRoutes() {
            assertForbidden(secured.get("/get-only", "Authorization", Secured.basic("bob", "pw")));
            assertThat(secured.get("/get-only", "Authorization", Secured.basic("alice", "pw"))
                            .status())
                    .isEqualTo(200);
        }

        private Answer explained(String address) {
            return app.get("/actuator/ratelimits?path=/api/x&address=" + address);
        }

        private Answer from(String address, String path, String... headers) {
            String[] all = Arrays.copyOf(headers, headers.length + 2);
            all[headers.length] = "X-Forwarded-For";
            all[headers.length + 1] = address;
            return app.get(path, all);
        }

        private static void assertForbidden(Answer answer) {
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
            assertThat(answer.header("Retry-After")).isNull();
            assertThat(answer.header("RateLimit")).isNull();
            assertThat(answer.body()).isEqualTo("{\"type\":\"about:blank\",\"title\":\"Forbidden\",\"status\":403}");
        }

        private static double counted(TestApp app, String name) {
            Counter counter = app.bean(MeterRegistry.class).find(name).counter();
            return counter == null ? 0 : counter.count();
        }
    }
}
