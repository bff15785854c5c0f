package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.SettableClock;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Six calls of five, and everything that the client receives. */
class RefusalHttpTest {

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
            this.clock = app.bean(SettableClock.class);
        }

        private final SettableClock clock;

        @Test
        void refusesTheSixthCallOfFiveAndTellsEverything() {
            for (int remaining = 4; remaining >= 0; remaining--) {
                Answer allowed = call("alice");
                assertThat(allowed.status()).isEqualTo(200);
                assertThat(allowed.body()).isEqualTo("ok");
                assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"plain\";q=5;w=60");
                assertThat(allowed.header("RateLimit")).isEqualTo("\"plain\";r=" + remaining + ";t=60");
                assertThat(allowed.header("X-RateLimit-Limit")).isEqualTo("5");
                assertThat(allowed.header("X-RateLimit-Remaining")).isEqualTo(String.valueOf(remaining));
                assertThat(allowed.header("X-RateLimit-Reset")).isEqualTo("60");
                assertThat(allowed.header("Retry-After")).isNull();
            }
            clock.advance(Duration.ofMillis(12_300));

            Answer refused = call("alice");

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Retry-After")).isEqualTo("48");
            assertThat(refused.header("Cache-Control")).isEqualTo("no-store");
            assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(refused.header("RateLimit-Policy")).isEqualTo("\"plain\";q=5;w=60");
            assertThat(refused.header("RateLimit")).isEqualTo("\"plain\";r=0;t=48");
            assertThat(refused.header("X-RateLimit-Limit")).isEqualTo("5");
            assertThat(refused.header("X-RateLimit-Remaining")).isEqualTo("0");
            assertThat(refused.header("X-RateLimit-Reset")).isEqualTo("48");
            assertThat(refused.body())
                    .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                            + "\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\","
                            + "\"status\":429,\"violated-policies\":[\"plain\"]}");
        }

        @Test
        void anotherUserIsNotAffected() {
            exhaust("bob");

            assertThat(call("bob").status()).isEqualTo(429);
            assertThat(call("carol").status()).isEqualTo(200);
        }

        @Test
        void whoWaitsExactlyRetryAfterIsAllowed() {
            exhaust("dave");
            clock.advance(Duration.ofMillis(700));
            Answer refused = call("dave");
            clock.advance(Duration.ofSeconds(Long.parseLong(refused.header("Retry-After"))));

            assertThat(call("dave").status()).isEqualTo(200);
        }

        @Test
        void whoseTokensAreGoneWaitsAtLeastASecond() {
            for (int i = 0; i < 20; i++) {
                assertThat(app.get("/api/x", "X-User", "erin").status()).isEqualTo(200);
            }
            Answer refused = app.get("/api/x", "X-User", "erin");

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Retry-After")).isEqualTo("1");
            assertThat(refused.header("RateLimit")).startsWith("\"burst\";r=0;t=1,\"hourly\";r=980;t=");
            assertThat(refused.body()).contains("\"violated-policies\":[\"burst\"]");
        }

        @Test
        void nothingInAnAnswerSaysWhoIsCounted() {
            exhaust("frank-4711");
            Answer refused = call("frank-4711");

            assertThat(refused.headers().map().toString() + refused.body()).doesNotContain("frank-4711");
        }

        private void exhaust(String user) {
            for (int i = 0; i < 5; i++) {
                assertThat(call(user).status()).isEqualTo(200);
            }
        }

        private Answer call(String user) {
            return app.get("/plain/thing", "X-User", user);
        }
    }
}
