package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.AppTest;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.testing.Http.Answer;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A route may compute what a request costs from the request. */
class RouteCostHttpTest {

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
                    List.of(ShopController.class),
                    "rate-limiter.window-size=1d",
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.max-requests=10",
                    "rate-limiter.routes.plain.key=header:X-User",
                    "rate-limiter.routes.plain.cost=T(Integer).parseInt(#request.header('X-Pages'))");
        }

        @Test
        void eachRequestCostsWhatItAsksFor() {
            assertThat(pages("ann", "4").header("RateLimit")).startsWith("\"plain\";r=6");
            assertThat(pages("ann", "6").header("RateLimit")).startsWith("\"plain\";r=0");
            assertThat(pages("ann", "1").status()).isEqualTo(429);
        }

        @Test
        void aCostThatNeverFitsIsABadRequestAndChargesNothing() {
            assertThat(pages("ben", "11").status()).isEqualTo(400);
            assertThat(pages("ben", "11").header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(pages("ben", "10").status()).isNotEqualTo(429);
        }

        @Test
        void aCostThatFailsOrIsBelowOneCountsAsOneAndIsLoggedWithoutItsValue() {
            try (LogCapture log = LogCapture.start()) {
                assertThat(pages("cid", "many").header("RateLimit")).startsWith("\"plain\";r=9");
                assertThat(pages("cid", "-7").header("RateLimit")).startsWith("\"plain\";r=8");

                assertThat(log.messages(Level.WARN))
                        .allSatisfy(message -> assertThat(message)
                                .startsWith("RL-453: rate-limiter.routes.plain.cost: ")
                                .doesNotContain("many"));
            }
        }

        private Answer pages(String user, String pages) {
            return app().get("/plain/x", "X-User", user, "X-Pages", pages);
        }
    }
}
