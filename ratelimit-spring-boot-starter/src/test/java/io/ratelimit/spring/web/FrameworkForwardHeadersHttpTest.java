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

/** Spring reads the headers of proxies itself, before any limit sees the address. */
class FrameworkForwardHeadersHttpTest {

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

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @BeforeAll
        void start() {
            app = TestApp.start(
                    stack,
                    List.of(ShopController.class),
                    "server.forward-headers-strategy=framework",
                    "rate-limiter.deny=203.0.113.0/24,2001:db8:bad::/48",
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.max-requests=1",
                    "rate-limiter.routes.plain.window-size=1d",
                    "rate-limiter.routes.plain.key=ip");
        }

        @AfterAll
        void stop() {
            app.close();
        }

        @Test
        void eachClientHasItsOwnQuota() {
            assertThat(statuses("198.51.100.1", "198.51.100.2", "198.51.100.1", "198.51.100.2:4711"))
                    .containsExactly(200, 200, 429, 429);
            assertThat(statuses("2001:db8:1::1", "2001:db8:2::1", "2001:db8:1::2", "[2001:db8:2::9]:80"))
                    .containsExactly(200, 200, 429, 429);
        }

        @Test
        void whoIsDeniedIsDenied() {
            assertThat(statuses("203.0.113.9", "203.0.113.9:4711", "2001:db8:bad::1"))
                    .containsExactly(403, 403, 403);
        }

        private Stream<Integer> statuses(String... clients) {
            return Stream.of(clients)
                    .map(client ->
                            app.get("/plain/x", "X-Forwarded-For", client).status());
        }
    }
}
