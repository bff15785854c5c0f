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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A route may compute what a request costs from the request, or take it from a header. */
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
                    "rate-limiter.routes.plain.cost=T(Integer).parseInt(#request.header('X-Pages'))",
                    "rate-limiter.routes.batch.paths=/two/**",
                    "rate-limiter.routes.batch.max-requests=10",
                    "rate-limiter.routes.batch.key=header:X-User",
                    "rate-limiter.routes.batch.cost=header:X-Cost");
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

        @Test
        void aHeaderIsTheCostAndOneWithoutIt() {
            assertThat(batch("ann", "4").header("RateLimit")).startsWith("\"batch\";r=6");
            assertThat(app().get("/two/x", "X-User", "ann").header("RateLimit")).startsWith("\"batch\";r=5");
            assertThat(batch("ann", "6").status()).isEqualTo(429);
            assertThat(batch("ann", "11").status()).isEqualTo(400);
            assertThat(batch("ann", "5").header("RateLimit")).startsWith("\"batch\";r=0");
        }

        @ParameterizedTest
        @ValueSource(strings = {"0", "-1", "1.5", "many", "9999999999999999999", "1e3"})
        void aHeaderThatNamesNoCostIsABadRequestAndChargesNothing(String cost) {
            Answer bad = batch("user of " + cost, cost);

            assertThat(bad.status()).isEqualTo(400);
            assertThat(bad.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(bad.body()).contains("\"title\":\"Request names an invalid cost\"");
            assertThat(batch("user of " + cost, "10").header("RateLimit")).startsWith("\"batch\";r=0");
        }

        private Answer batch(String user, String cost) {
            return app().get("/two/x", "X-User", user, "X-Cost", cost);
        }

        private Answer pages(String user, String pages) {
            return app().get("/plain/x", "X-User", user, "X-Pages", pages);
        }
    }
}
