package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A header that only the client wrote is worth nothing behind trusted proxies, to limits, allow and deny. */
class ProxyHeadersHttpTest {

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

        private static final String DENIED = "203.0.113.9";

        private final Stack stack;
        private TestApp byEither;
        private TestApp byNamed;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @BeforeAll
        void start() {
            byEither = start("rate-limiter.key-prefix=either");
            byNamed = start("rate-limiter.client-address-header=cf-connecting-ip");
        }

        private TestApp start(String property) {
            return TestApp.start(
                    stack,
                    List.of(ShopController.class),
                    property,
                    "rate-limiter.trusted-proxies=127.0.0.0/8,::1",
                    "rate-limiter.allow=10.0.0.0/8",
                    "rate-limiter.deny=203.0.113.0/24",
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.max-requests=2",
                    "rate-limiter.routes.plain.window-size=1d",
                    "rate-limiter.routes.plain.key=ip");
        }

        @AfterAll
        void stop() {
            byEither.close();
            byNamed.close();
        }

        @Test
        void aForwardedHeaderThatNamesNothingIsNoWayPastALimit() {
            assertThat(Stream.of("for=unknown", "for=_a", "nonsense", "for=9.9.9.9, for=unknown", "")
                            .map(added -> status(byEither, "X-Forwarded-For", "198.51.100.1", "Forwarded", added)))
                    .containsExactly(200, 200, 429, 429, 429);
        }

        @Test
        void noHeaderButTheNamedOneIsAWayPastALimit() {
            assertThat(Stream.of("9.9.9.9", "9.9.9.8", "unknown", "127.0.0.1")
                            .map(added -> status(
                                    byNamed,
                                    "CF-Connecting-IP",
                                    "2001:db8:1:2::" + added.length(),
                                    "X-Forwarded-For",
                                    added,
                                    "Forwarded",
                                    "for=" + added)))
                    .containsExactly(200, 200, 429, 429);
        }

        @ParameterizedTest
        @ValueSource(strings = {"for=10.1.1.1", "for=unknown", "", "for=\"10.1.1.1", "for=10.1.1.1, for=127.0.0.1"})
        void noAddedHeaderHidesWhoIsDenied(String added) {
            assertThat(status(byEither, "X-Forwarded-For", DENIED, "Forwarded", added))
                    .isEqualTo(403);
            assertThat(status(byNamed, "CF-Connecting-IP", DENIED, "X-Forwarded-For", "10.1.1.1", "Forwarded", added))
                    .isEqualTo(403);
        }

        @Test
        void noAddedHeaderAllowsOrDeniesAnybodyElse() {
            String[] client = {"CF-Connecting-IP", "198.51.100.7", "X-Forwarded-For", "10.1.1.1"};
            assertThat(status(byNamed, client)).isEqualTo(200);
            assertThat(status(byNamed, "CF-Connecting-IP", "198.51.100.7", "X-Forwarded-For", DENIED))
                    .isEqualTo(200);
            assertThat(status(byNamed, client)).isEqualTo(429);
        }

        private static int status(TestApp app, String... headers) {
            return app.get("/plain/x", headers).status();
        }
    }
}
