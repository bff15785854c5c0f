package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is explained is what the same request is answered. */
class ExplainedAnswerHttpTest {

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET);
        }
    }

    @Nested
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
            app = start(
                    "rate-limiter.limits.shared.max-requests=10",
                    "rate-limiter.limits.other.max-requests=20",
                    "rate-limiter.limits.tight.max-requests=3",
                    "rate-limiter.limits.devices.use-algo=unique-count",
                    "rate-limiter.limits.devices.max-requests=1",
                    "rate-limiter.routes.one.paths=/merged/**",
                    "rate-limiter.routes.one.limits=shared",
                    "rate-limiter.routes.two.paths=/merged/**",
                    "rate-limiter.routes.two.limits=shared,other",
                    "rate-limiter.routes.two.cost=2",
                    "rate-limiter.routes.half.paths=/never/**",
                    "rate-limiter.routes.half.limits=tight",
                    "rate-limiter.routes.half.cost=2",
                    "rate-limiter.routes.rest.paths=/never/**",
                    "rate-limiter.routes.rest.limits=tight",
                    "rate-limiter.routes.rest.cost=2",
                    "rate-limiter.routes.devices.paths=/devices",
                    "rate-limiter.routes.devices.limits=devices",
                    "rate-limiter.routes.devices.element=header:X-Device",
                    "rate-limiter.routes.carts.paths=/carts",
                    "rate-limiter.routes.carts.key=cookie:cart",
                    "rate-limiter.routes.carts.max-requests=10");
        }

        @AfterAll
        void stop() {
            app.close();
        }

        private TestApp start(String... properties) {
            return TestApp.start(
                    stack,
                    List.of(),
                    Stream.concat(
                                    Stream.of(
                                            "management.endpoints.web.exposure.include=ratelimits",
                                            "management.endpoint.ratelimits.access=unrestricted",
                                            "rate-limiter.key=header:X-User"),
                                    Stream.of(properties))
                            .toArray(String[]::new));
        }

        @Test
        void eachRuleShowsItsOwnLimitsThoughTwoShareOne() throws IOException {
            JsonNode explained = explain("/merged/a", "X-User:ann");

            assertThat(limits(explained, "one")).containsExactly("shared");
            assertThat(limits(explained, "two")).containsExactly("shared", "other");
        }

        @Test
        void whatNeverFitsTogetherIsExplainedAsTheBadRequestThatItIs() throws IOException {
            JsonNode explained = explain("/never/a", "X-User:ben");

            assertThat(app.get("/never/a", "X-User", "ben").status()).isEqualTo(400);
            assertThat(explained.at("/status").asInt()).isEqualTo(400);
            assertThat(explained.at("/allowed").asBoolean()).isFalse();
            assertThat(explained.at("/retryAfter").isNull()).isTrue();
            assertThat(explained.at("/routes/0/note").asText())
                    .startsWith("refuses: cost '4' can never fit limit 'tight', whose capacity is 3");
        }

        @Test
        void aRefusalHasTheStatusOfTheAnswer() throws IOException {
            app.get("/devices", "X-User", "cid", "X-Device", "phone");
            assertThat(explain("/devices", "X-User:cid", "X-Device:phone")
                            .at("/status")
                            .isNull())
                    .isTrue();
            assertThat(explain("/devices", "X-User:cid", "X-Device:tv")
                            .at("/status")
                            .asInt())
                    .isEqualTo(429);
            assertThat(app.get("/devices", "X-User", "cid", "X-Device", "tv").status())
                    .isEqualTo(429);
        }

        @Test
        void reportOnlyAdmitsAndSaysWhatWouldRefuse() throws IOException {
            try (TestApp reporting = start(
                    "rate-limiter.report-only=true",
                    "rate-limiter.routes.all.paths=/a",
                    "rate-limiter.routes.all.max-requests=1")) {
                reporting.get("/a", "X-User", "ann");
                JsonNode explained = explain(reporting, "/a", "X-User:ann");

                assertThat(reporting.get("/a", "X-User", "ann").status()).isEqualTo(404);
                assertThat(explained.at("/allowed").asBoolean()).isTrue();
                assertThat(explained.at("/status").isNull()).isTrue();
                assertThat(explained.at("/retryAfter").asText()).isEqualTo("PT0S");
                assertThat(explained.at("/refusedBy/0").asText()).isEqualTo("all");
            }
        }

        @Test
        void whileRedisIsAwayThePolicyAnswers() throws IOException {
            try (TestApp away = start(
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
                JsonNode closed = explain(away, "/closed", "X-User:ann");
                assertThat(away.get("/closed", "X-User", "ann").status()).isEqualTo(503);
                assertThat(closed.at("/allowed").asBoolean()).isFalse();
                assertThat(closed.at("/status").asInt()).isEqualTo(503);
                assertThat(closed.at("/retryAfter").isNull()).isTrue();
                assertThat(closed.at("/routes/0/subject").asText()).isEqualTo("header:x-user:ann");
                assertThat(closed.at("/routes/0/note").asText()).contains("closed");

                JsonNode open = explain(away, "/open", "X-User:ann");
                assertThat(open.at("/allowed").asBoolean()).isTrue();
                assertThat(open.at("/routes/0/note").asText())
                        .isEqualTo("no store answers, and the request is allowed");
                assertThat(explain(away, "/local", "X-User:ann")
                                .at("/routes/0/limits/0/source")
                                .asText())
                        .isEqualTo("local");
            }
        }

        @Test
        void aPreflightIsNotCounted() throws IOException {
            String[] preflight = {"Origin:https://a.example", "Access-Control-Request-Method:GET", "X-User:dan"};
            JsonNode explained = explainedAs("OPTIONS", app, "/merged/a", preflight);

            assertThat(explained.at("/allowed").asBoolean()).isTrue();
            assertThat(explained.at("/routes"))
                    .extracting(route -> route.at("/note").asText())
                    .hasSize(2)
                    .allMatch(note -> note.startsWith("does not apply: a CORS preflight"));
            assertThat(explained.at("/routes/0/limits")).isEmpty();

            JsonNode guess = explainedAs(
                    "OPTIONS",
                    app,
                    "/merged/a",
                    Stream.concat(Stream.of(preflight), Stream.of("Authorization:Basic YTpi"))
                            .toArray(String[]::new));
            assertThat(guess.at("/routes/0/limits")).isNotEmpty();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "cart=plain",
                    "cart=\"quoted\"",
                    "cart=first; cart=second",
                    "other=\"x\"; cart=\"behind\"",
                    "cart=two words",
                    "cart=\"two quoted\"",
                    "cart=\"\"",
                    "cart=a=b",
                    "cart=a,b",
                    "CART=shouted",
                    "cart"
                })
        void aCookieIsReadAsTheServerReadsIt(String cookie) throws IOException {
            app.send("DELETE", "/actuator/ratelimits?subject=ip:127.0.0.1");
            String before = explain("/carts", "Cookie:" + cookie)
                    .at("/routes/0/limits/0/remaining")
                    .asText();
            Answer sent = app.raw("GET", "/carts", "Cookie", cookie);
            JsonNode after = explain("/carts", "Cookie:" + cookie);

            assertThat(sent.status()).isIn(404, 400);
            assertThat(before).isEqualTo("10");
            assertThat(after.at("/routes/0/limits/0/remaining").asText())
                    .as("%s %s", after.at("/routes/0/subject"), sent)
                    .isEqualTo("9");
        }

        @Test
        void explainingLeavesTheWarningToTheFirstRequest() throws IOException {
            try (LogCapture log = LogCapture.start()) {
                JsonNode explained = explain("/devices", "X-User:eve");
                assertThat(log.messages(Level.WARN)).isEmpty();
                assertThat(explained.at("/routes/0/note").asText())
                        .contains("element 'header:X-Device' names nothing, the client's address is counted");

                app.get("/devices", "X-User", "eve");
                assertThat(log.messages(Level.WARN)).singleElement().asString().startsWith("RL-456: ");
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"a//b", "/a", "a/", "a b,c", "a;b=1", "%2f"})
        void anySubjectIsReadAndResetByItsParameter(String user) throws IOException {
            app.get("/merged/a", "X-User", user);
            String query = "/actuator/ratelimits?subject=" + encoded("header:x-user:" + user);

            assertThat(remaining(app.get(query), "other")).isEqualTo(18);
            assertThat(app.send("DELETE", query).body()).contains("\"other\"");
            assertThat(remaining(app.get(query), "other")).isEqualTo(20);
        }

        @ParameterizedTest
        @CsvSource({"GET,?subject=%20", "DELETE,?subject=%20", "DELETE,''", "GET,?subject=ip:x&path=/a"})
        void aSubjectThatCannotBeReadIsABadRequest(String method, String query) {
            Answer answer = app.send(method, "/actuator/ratelimits" + query);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.body()).startsWith("{\"error\":\"").contains("subject");
        }

        private static int remaining(Answer states, String limit) throws IOException {
            assertThat(states.status()).as(states.body()).isEqualTo(200);
            return StreamSupport.stream(
                            new ObjectMapper().readTree(states.body()).spliterator(), false)
                    .filter(state -> state.at("/limit").asText().equals(limit))
                    .findFirst()
                    .orElseThrow()
                    .at("/remaining")
                    .asInt();
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

        private JsonNode explain(String path, String... headers) throws IOException {
            return explain(app, path, headers);
        }

        private static JsonNode explain(TestApp app, String path, String... headers) throws IOException {
            return explainedAs("GET", app, path, headers);
        }

        private static JsonNode explainedAs(String method, TestApp app, String path, String... headers)
                throws IOException {
            StringBuilder query = new StringBuilder("/actuator/ratelimits?address=127.0.0.1&path=" + path);
            query.append("&method=").append(method);
            for (String header : headers) {
                query.append("&header=").append(encoded(header));
            }
            Answer answer = app.get(query.toString());
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
            return new ObjectMapper().readTree(answer.body());
        }

        private static String encoded(String text) {
            return URLEncoder.encode(text, StandardCharsets.UTF_8);
        }
    }
}
