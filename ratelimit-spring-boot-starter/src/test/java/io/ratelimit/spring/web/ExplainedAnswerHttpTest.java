package io.ratelimit.spring.web;

import static io.ratelimit.spring.testing.LimitsEndpoint.json;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AppTest;
import io.ratelimit.spring.testing.LimitsEndpoint;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** A limit that is explained to refuse a request refuses it, and each rule is explained by itself. */
class ExplainedAnswerHttpTest {

    @RestController
    static class Reports {

        @RateLimited(
                name = "few",
                maxRequests = "3",
                key = "header:X-User",
                cost = "T(Integer).parseInt(#request.param('pages'))")
        @GetMapping("/reports")
        public Mono<String> report() {
            return Mono.just("report");
        }

        @RateLimited(maxRequests = "1", key = "header:X-User")
        @GetMapping("/news")
        public Mono<String> news() {
            return Mono.just("news");
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

        OnStack(Stack stack) {
            super(
                    stack,
                    List.of(Reports.class),
                    LimitsEndpoint.EXPOSED,
                    "rate-limiter.window-size=1d",
                    "rate-limiter.key=header:X-User",
                    "rate-limiter.limits.shared.max-requests=10",
                    "rate-limiter.limits.other.max-requests=20",
                    "rate-limiter.limits.devices.use-algo=unique-count",
                    "rate-limiter.limits.devices.max-requests=1",
                    "rate-limiter.routes.one.paths=/merged/**",
                    "rate-limiter.routes.one.limits=shared",
                    "rate-limiter.routes.two.paths=/merged/**",
                    "rate-limiter.routes.two.limits=shared,other",
                    "rate-limiter.routes.two.cost=2",
                    "rate-limiter.routes.devices.paths=/devices",
                    "rate-limiter.routes.devices.limits=devices",
                    "rate-limiter.routes.devices.element=header:X-Device");
        }

        @Test
        void eachRuleShowsItsOwnLimitsThoughTwoShareOne() throws IOException {
            JsonNode explained = json(app(), "path=/merged/a", "header=X-User:ann");

            assertThat(limits(explained, "one")).containsExactly("shared");
            assertThat(limits(explained, "two")).containsExactly("shared", "other");
        }

        @Test
        void whatALimitCanNeverAdmitIsNamed() throws IOException {
            JsonNode explained = json(app(), "path=/reports?pages=9", "header=X-User:ben");

            assertThat(app().get("/reports?pages=9", "X-User", "ben").status()).isEqualTo(400);
            assertThat(explained.at("/refusedBy").toString()).isEqualTo("[\"few\"]");
            assertThat(explained.at("/methods/0/note").asText())
                    .startsWith("refuses: cost '9' can never fit limit 'few', whose capacity is 3");
        }

        @Test
        void theNameThatClientsSeeIsNoted() throws IOException {
            app().get("/news", "X-User", "eve");
            JsonNode explained = json(app(), "path=/news", "header=X-User:eve");

            assertThat(explained.at("/refusedBy/0").asText()).endsWith(".ExplainedAnswerHttpTest$Reports.news");
            assertThat(explained.at("/methods/0/note").asText()).isEqualTo("clients see the limit as Reports.news");
        }

        @Test
        void theElementIsThatOfTheRequest() throws IOException {
            app().get("/devices", "X-User", "cid", "X-Device", "phone");
            assertThat(json(app(), "path=/devices", "header=X-User:cid", "header=X-Device:phone")
                            .at("/refusedBy"))
                    .isEmpty();
            assertThat(json(app(), "path=/devices", "header=X-User:cid", "header=X-Device:tv")
                            .at("/refusedBy")
                            .toString())
                    .isEqualTo("[\"devices\"]");
            assertThat(app().get("/devices", "X-User", "cid", "X-Device", "tv").status())
                    .isEqualTo(429);
        }

        @Test
        void theRoutesOfBothSidesOfAuthenticationAreExplained() throws IOException {
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
                    "rate-limiter.routes.mine.max-requests=2",
                    "rate-limiter.routes.mine.key=#principal?.name")) {
                String[] alice = {"Authorization", Secured.basic("alice", "pw")};
                assertThat(app.get("/two/a", alice).status()).isEqualTo(200);
                String endpoint = "/actuator/ratelimits?path=/two/a&principal=alice&address=127.0.0.1";

                JsonNode explained = json(app.get(endpoint, alice));
                assertThat(explained.at("/refusedBy").toString()).isEqualTo("[\"flood\"]");
                assertThat(explained.at("/routes"))
                        .extracting(route -> route.at("/limits/0/remaining").asInt())
                        .containsExactly(0, 1);
                assertThat(app.get("/two/a", alice).body()).contains("\"violated-policies\":[\"flood\"]");
            }
        }

        @Test
        void reportOnlyAdmitsAndSaysWhatWouldRefuse() throws IOException {
            try (TestApp reporting = start(
                    LimitsEndpoint.EXPOSED,
                    "rate-limiter.window-size=1d",
                    "rate-limiter.key=header:X-User",
                    "rate-limiter.report-only=true",
                    "rate-limiter.routes.all.paths=/a",
                    "rate-limiter.routes.all.max-requests=1")) {
                reporting.get("/a", "X-User", "ann");
                JsonNode explained = json(reporting, "path=/a", "header=X-User:ann");

                assertThat(reporting.get("/a", "X-User", "ann").status()).isEqualTo(404);
                assertThat(explained.at("/refusedBy/0").asText()).isEqualTo("all");
            }
        }

        @Test
        void whileRedisIsAwayThePolicyAnswers() throws IOException {
            try (TestApp away = start(
                    LimitsEndpoint.EXPOSED,
                    "rate-limiter.window-size=1d",
                    "rate-limiter.key=header:X-User",
                    "spring.data.redis.url=redis://localhost:1",
                    "rate-limiter.limits.shared.max-requests=10",
                    "rate-limiter.routes.closed.paths=/closed",
                    "rate-limiter.routes.closed.limits=shared",
                    "rate-limiter.routes.closed.on-store-failure=closed",
                    "rate-limiter.routes.open.paths=/open",
                    "rate-limiter.routes.open.limits=shared",
                    "rate-limiter.routes.open.on-store-failure=open",
                    "rate-limiter.routes.local.paths=/local",
                    "rate-limiter.routes.local.limits=shared")) {
                JsonNode closed = json(away, "path=/closed", "header=X-User:ann");
                assertThat(away.get("/closed", "X-User", "ann").status()).isEqualTo(503);
                assertThat(closed.at("/routes/0/subject").asText()).isEqualTo("header:x-user:ann");
                assertThat(closed.at("/routes/0/note").asText()).contains("closed");

                JsonNode open = json(away, "path=/open", "header=X-User:ann");
                assertThat(open.at("/routes/0/note").asText())
                        .isEqualTo("no store answers, and the request is allowed");
                assertThat(json(away, "path=/local", "header=X-User:ann")
                                .at("/routes/0/limits/0/source")
                                .asText())
                        .isEqualTo("local");
            }
        }

        @Test
        void explainingLeavesTheWarningToTheFirstRequest() throws IOException {
            try (LogCapture log = LogCapture.start()) {
                JsonNode explained = json(app(), "path=/devices", "header=X-User:eve");
                assertThat(log.messages(Level.WARN)).isEmpty();
                assertThat(explained.at("/routes/0/note").asText())
                        .contains("element 'header:X-Device' names nothing, the client's address is counted");

                app().get("/devices", "X-User", "eve");
                assertThat(log.messages(Level.WARN)).singleElement().asString().startsWith("RL-456: ");
            }
        }

        private static List<String> limits(JsonNode explained, String route) {
            List<String> names = new ArrayList<>();
            for (JsonNode rule : explained.at("/routes")) {
                if (rule.at("/declaredBy").asText().endsWith("." + route)) {
                    rule.at("/limits")
                            .forEach(limit -> names.add(limit.at("/limit").asText()));
                }
            }
            return names;
        }
    }
}
