package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Authenticating;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A filter of one's own that authenticates has to stand before the limiter's, and one that does not is not silent. */
class LatePrincipalHttpTest {

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

    @RestController
    static class Who {
        @GetMapping("/who")
        String who(@Nullable Principal principal) {
            return principal == null ? "nobody" : principal.getName();
        }
    }

    abstract static class OnStack {
        private final Stack stack;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @Test
        void countsByAddressBehindTheLimiterAndSaysSoOnce() {
            try (TestApp app = start(Authenticating.behind(stack));
                    LogCapture log = LogCapture.start()) {
                assertThat(call(app)).isEqualTo(200);
                assertThat(lateWarnings(log)).isEmpty();

                assertThat(call(app, Authenticating.USER, "alice")).isEqualTo(200);
                assertThat(call(app, Authenticating.USER, "bob")).isEqualTo(429);

                assertThat(lateWarnings(log))
                        .singleElement()
                        .asString()
                        .startsWith("RL-255: route 'mine'")
                        .doesNotContain("alice");
            }
        }

        @Test
        void countsByPrincipalBeforeTheLimiter() {
            try (TestApp app = start(Authenticating.before(stack));
                    LogCapture log = LogCapture.start()) {
                assertThat(call(app, Authenticating.USER, "alice")).isEqualTo(200);
                assertThat(call(app, Authenticating.USER, "alice")).isEqualTo(200);
                assertThat(call(app, Authenticating.USER, "alice")).isEqualTo(429);
                assertThat(call(app, Authenticating.USER, "bob")).isEqualTo(200);
                assertThat(call(app)).isEqualTo(200);

                assertThat(lateWarnings(log)).isEmpty();
            }
        }

        /** To find the principal takes for ever, or fails. */
        @Test
        void asksForNoPrincipalThatTheApplicationDoesNotAskFor() {
            try (TestApp app = start(Authenticating.never(stack))) {
                assertThat(app.get("/plain/mine", Authenticating.USER, "alice").status())
                        .isEqualTo(200);
            }
        }

        private TestApp start(Class<?> authenticating) {
            return TestApp.start(
                    stack,
                    List.of(AtSettableTime.class, authenticating, Who.class, ShopController.class),
                    "rate-limiter.routes.mine.paths=/who,/plain/mine",
                    "rate-limiter.routes.mine.max-requests=2");
        }

        private static int call(TestApp app, String... headers) {
            return app.get("/who", headers).status();
        }

        private static List<String> lateWarnings(LogCapture log) {
            return log.messages(Level.WARN).stream()
                    .filter(message -> message.startsWith("RL-255"))
                    .toList();
        }
    }
}
