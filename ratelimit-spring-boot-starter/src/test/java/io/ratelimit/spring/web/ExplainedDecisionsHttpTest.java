package io.ratelimit.spring.web;

import static io.ratelimit.spring.testing.LimitsEndpoint.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AppTest;
import io.ratelimit.spring.testing.LimitsEndpoint;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Several decisions on one request are explained one after the other, as they are made. */
class ExplainedDecisionsHttpTest {

    @RestController
    static class Reports {

        @RateLimited(value = "few", key = "header:X-User", cost = "T(Integer).parseInt(#request.param('pages'))")
        @GetMapping("/reports")
        public Mono<String> report() {
            return Mono.just("report");
        }

        @RateLimited(value = "once", key = "header:X-User")
        @GetMapping("/twice")
        public Mono<String> twice() {
            return Mono.just("twice");
        }

        @RateLimited(value = "pair", key = "header:X-User")
        @GetMapping("/pair")
        public Mono<String> pair() {
            return Mono.just("pair");
        }

        @RateLimited(maxRequests = "1", key = "header:X-User", maxWait = "1ms", fallbackMethod = "older")
        @GetMapping("/news")
        public Mono<String> news() {
            return Mono.just("news");
        }

        Mono<String> older() {
            return Mono.just("older news");
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

    abstract static class OnStack extends AppTest {

        private static final String[] PROPERTIES = {
            LimitsEndpoint.EXPOSED,
            "rate-limiter.report-only=false",
            "rate-limiter.window-size=1d",
            "rate-limiter.key=header:X-User",
            "rate-limiter.limits.few.max-requests=3",
            "rate-limiter.limits.once.max-requests=1",
            "rate-limiter.limits.pair.max-requests=3",
            "rate-limiter.routes.reports.paths=/reports",
            "rate-limiter.routes.reports.max-requests=1",
            "rate-limiter.routes.twice.paths=/twice",
            "rate-limiter.routes.twice.limits=once",
            "rate-limiter.routes.pair.paths=/pair",
            "rate-limiter.routes.pair.limits=pair"
        };

        OnStack(Stack stack) {
            super(stack, List.of(Reports.class), PROPERTIES);
        }

        @Test
        void aRouteThatRefusesAnswersBeforeTheMethod() throws IOException {
            assertThat(explain("/reports?pages=9", "ann").at("/status").asInt()).isEqualTo(400);
            assertThat(get("/reports?pages=9", "ann")).isEqualTo(400);

            JsonNode used = explain("/reports?pages=9", "ann");
            assertThat(get("/reports?pages=9", "ann")).isEqualTo(429);
            assertThat(used.at("/status").asInt()).isEqualTo(429);
            assertThat(used.at("/refusedBy").toString()).isEqualTo("[\"reports\"]");
            assertThat(used.at("/retryAfter")).isEqualTo(used.at("/routes/0/limits/0/retryAfter"));
            assertThat(used.at("/methods/0/note").asText()).startsWith("refuses: cost '9'");
        }

        @Test
        void whatTheMethodCanNeverAdmitIsNamed() throws IOException {
            JsonNode explained = explain("/reports?pages=9", "ben");

            assertThat(explained.at("/status").asInt()).isEqualTo(400);
            assertThat(explained.at("/refusedBy").toString()).isEqualTo("[\"few\"]");
            assertThat(explained.at("/retryAfter").isNull()).isTrue();
        }

        @Test
        void whatTheRouteTakesIsNotLeftForTheMethod() throws IOException {
            assertThat(explain("/pair", "cid").at("/allowed").asBoolean()).isTrue();
            assertThat(get("/pair", "cid")).isEqualTo(200);

            JsonNode oneIsLeft = explain("/pair", "cid");
            assertThat(get("/pair", "cid")).isEqualTo(429);
            assertThat(oneIsLeft.at("/status").asInt()).isEqualTo(429);
            assertThat(oneIsLeft.at("/refusedBy").toString()).isEqualTo("[\"pair\"]");
        }

        @Test
        void aRouteThatTakesAllLeavesNothingForTheMethodAtAnyTime() throws IOException {
            JsonNode explained = explain("/twice", "dan");

            assertThat(get("/twice", "dan")).isEqualTo(429);
            assertThat(explained.at("/status").asInt()).isEqualTo(429);
            assertThat(explained.at("/refusedBy").toString()).isEqualTo("[\"once\"]");
            assertThat(explained.at("/retryAfter").isNull()).isTrue();
            try (TestApp reporting = startReporting()) {
                JsonNode reported = json(reporting, "path=/twice", "header=X-User:dan");
                assertThat(reporting.get("/twice", "X-User", "dan").status()).isEqualTo(200);
                assertThat(reported.at("/allowed").asBoolean()).isTrue();
            }
        }

        @Test
        void aFallbackAnswersWhatItsMethodRefuses() throws IOException {
            get("/news", "eve");
            JsonNode explained = explain("/news", "eve");

            assertThat(app().get("/news", "X-User", "eve").body()).isEqualTo("older news");
            assertThat(explained.at("/allowed").asBoolean()).isFalse();
            assertThat(explained.at("/status").isNull()).isTrue();
            assertThat(explained.at("/refusedBy/0").asText()).endsWith(".ExplainedDecisionsHttpTest$Reports.news");
            assertThat(explained.at("/methods/0/note").asText())
                    .isEqualTo("clients see the limit as Reports.news; a call waits up to PT0.001S until it fits;"
                            + " fallbackMethod older answers a refused call");
        }

        private TestApp startReporting() {
            String[] properties = PROPERTIES.clone();
            properties[1] = "rate-limiter.report-only=true";
            return start(properties);
        }

        @Test
        void whoIsNotAuthenticatedYetIsRefusedByTheRoutesBefore() throws IOException {
            try (TestApp app = Secured.start(
                    stack(),
                    true,
                    ShopController.class,
                    LimitsEndpoint.EXPOSED,
                    "rate-limiter.window-size=1d",
                    "rate-limiter.routes.flood.paths=/two/**",
                    "rate-limiter.routes.flood.max-requests=1",
                    "rate-limiter.routes.flood.key=ip",
                    "rate-limiter.routes.mine.paths=/two/**",
                    "rate-limiter.routes.mine.max-requests=1",
                    "rate-limiter.routes.mine.key=#principal?.name")) {
                String[] alice = {"Authorization", Secured.basic("alice", "pw")};
                assertThat(app.get("/two/a", alice).status()).isEqualTo(200);
                String endpoint = "/actuator/ratelimits?path=/two/a&principal=alice&address=127.0.0.1";

                JsonNode explained = json(app.get(endpoint, alice));
                assertThat(explained.at("/refusedBy").toString()).isEqualTo("[\"flood\"]");
                assertThat(explained.at("/routes"))
                        .extracting(route -> route.at("/limits/0/remaining").asInt())
                        .containsExactly(0, 0);
                assertThat(app.get("/two/a", alice).body()).contains("\"violated-policies\":[\"flood\"]");
            }
        }

        private JsonNode explain(String path, String user) throws IOException {
            return json(app(), "path=" + path, "header=X-User:" + user);
        }

        private int get(String path, String user) {
            return app().get(path, "X-User", user).status();
        }
    }
}
