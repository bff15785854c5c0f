package io.ratelimit.spring.web;

import static io.ratelimit.spring.testing.LimitsEndpoint.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.TestRedis;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The numbers of a limit are changed by a call, for all instances. */
class OverridesHttpTest {

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET, false);
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE, false);
        }
    }

    @Nested
    class ServletOnRedis extends OnStack {
        ServletOnRedis() {
            super(Stack.SERVLET, true);
        }
    }

    @Nested
    @Tag("slow")
    class ReactiveOnRedis extends OnStack {
        ReactiveOnRedis() {
            super(Stack.REACTIVE, true);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {

        private final Stack stack;
        private final boolean onRedis;
        private final String prefix = UUID.randomUUID().toString();
        private OverriddenApp one;
        private OverriddenApp other;

        OnStack(Stack stack, boolean onRedis) {
            this.stack = stack;
            this.onRedis = onRedis;
        }

        @BeforeAll
        void start() {
            one = instance("unrestricted");
            other = onRedis ? instance("unrestricted") : one;
        }

        @AfterEach
        void lift() {
            for (String limit : List.of("api", "bucket")) {
                one.lift(limit);
                one.awaitOverride(limit, null);
                other.awaitOverride(limit, null);
            }
        }

        @AfterAll
        void stop() {
            one.close();
            other.close();
        }

        @Test
        void allInstancesFollowAndUsageIsKept() throws IOException {
            for (int i = 0; i < 3; i++) {
                assertThat(one.get("/api/x", "ann").header("RateLimit")).startsWith("\"api\";r=" + (4 - i) + ";");
            }
            JsonNode answer = json(one.override("api", "{\"maxRequests\": 4, \"for\": \"30m\"}"));
            assertThat(answer.at("/appliesTo").asText()).startsWith(onRedis ? "all instances" : "this instance alone");
            assertThat(answer.at("/until").asText()).endsWith("Z");

            other.awaitOverride("api", 4L);
            assertThat(other.get("/api/x", "ann").header("RateLimit-Policy")).isEqualTo("\"api\";q=4;w=86400");
            assertThat(one.get("/api/x", "ann").status()).isEqualTo(429);

            assertThat(json(one.lift("api")).at("/limit").asText()).isEqualTo("api");
            other.awaitOverride("api", null);
            await().until(() -> other.get("/api/x", "ann").status() == 200); // a refusal is remembered for a second
            assertThat(one.get("/api/x", "ann").status()).isEqualTo(429);
        }

        @Test
        void plansAndCodeFollowToo() {
            one.override("api", "{\"maxRequests\": 2, \"for\": 600}");
            other.awaitOverride("api", 2L);

            assertThat(other.get("/api/x", "gold", "X-Plan", "gold").header("RateLimit-Policy"))
                    .isEqualTo("\"api\";q=2;w=86400");
            assertThat(other.get("/api/x", "staff", "X-Plan", "staff").header("RateLimit"))
                    .isNull();
            assertThat(other.app()
                            .bean(RateLimiter.class)
                            .acquire(Acquisition.of(
                                    other.app().bean(Limits.class).get("api"), "in code"))
                            .remaining())
                    .isEqualTo(1);
        }

        @Test
        void clientsOfAnAnnotatedMethodSeeItsNewNumbersUnderItsPublicName() {
            String limit = OverriddenApp.Calls.class.getName() + ".annotated";
            one.override(limit, "{\"maxRequests\": 50, \"for\": \"1h\"}");
            Answer admitted = one.get("/annotated", "ann");
            one.override(limit, "{\"maxRequests\": 2, \"for\": \"1h\"}");
            Answer never = one.get("/annotated", "ann");
            one.lift(limit);

            assertThat(admitted.header("RateLimit-Policy")).isEqualTo("\"Calls.annotated\";q=50;w=86400");
            assertThat(admitted.header("RateLimit")).startsWith("\"Calls.annotated\";r=47;");
            assertThat(never.status()).isEqualTo(400);
            assertThat(never.body()).contains("[\"Calls.annotated\"]").doesNotContain("io.ratelimit");
        }

        @Test
        void numbersThatFitTogetherAreTaken() {
            assertThat(one.override("large", "{\"maxRequests\": 1, \"burst\": 1, \"for\": \"1h\"}")
                            .status())
                    .isEqualTo(200);
            assertThat(one.override("large", "{\"maxRequests\": 1, \"for\": \"1h\"}")
                            .body())
                    .contains("maxRequests: ");
            assertThat(one.override("large", "{\"maxRequests\": 9, \"burst\": 8, \"for\": \"1h\"}")
                            .status())
                    .isEqualTo(200);
            one.lift("large");
        }

        @Test
        void aBucketKeepsItsBurstUnlessItIsGivenAnother() {
            one.override("bucket", "{\"maxRequests\": 1, \"for\": \"1h\"}");
            assertThat(one.get("/bucket", "bea").header("RateLimit")).startsWith("\"bucket\";r=19;");
            one.override("bucket", "{\"maxRequests\": 1, \"burst\": 5, \"for\": \"1h\"}");
            assertThat(one.get("/bucket", "bea").header("RateLimit")).startsWith("\"bucket\";r=3;");
        }

        @Test
        void theEndpointShowsWhatIsInForceAndWhereItComesFrom() throws IOException {
            one.override("api", "{\"maxRequests\": 2, \"for\": \"1h\"}");
            other.awaitOverride("api", 2L);

            JsonNode limit = json(other.app().get("/actuator/ratelimits")).at("/limits/0");
            assertThat(limit.at("/maxRequests").asLong()).isEqualTo(2);
            assertThat(limit.at("/from").asText()).isEqualTo("override");
            assertThat(limit.at("/override/ownMaxRequests").asLong()).isEqualTo(5);
            assertThat(limit.at("/override/until").asText()).endsWith("Z");
            assertThat(limit.at("/plans/0/maxRequests").asLong()).isEqualTo(2);
            assertThat(limit.at("/plans/0/from").asText()).isEqualTo("override");
            assertThat(json(other.app().get("/actuator/ratelimits/header:x-user:cleo"))
                            .at("/0/from")
                            .asText())
                    .isEqualTo("override");
            JsonNode bucket = json(other.app().get("/actuator/ratelimits")).at("/limits/1");
            assertThat(bucket.at("/from").asText()).isEqualTo("configuration");
            assertThat(bucket.at("/override").isNull()).isTrue();
        }

        @Test
        void anOverrideEndsByItselfAndEachChangeIsSaid() {
            List<String> heard = other.app().bean(OverriddenApp.Heard.class).changes;
            await().until(() -> {
                awaitAllSaid();
                try (LogCapture log = LogCapture.of(Overrides.class.getName())) {
                    heard.clear();
                    one.override("api", "{\"maxRequests\": 3, \"for\": \"1500ms\"}");
                    one.awaitOverride("api", null);
                    other.awaitOverride("api", null);
                    awaitAllSaid();
                    if (heard.isEmpty() && onRedis) {
                        return false; // held up until it had ended
                    }
                    assertThat(heard).containsExactly("api 3", "api own");
                    assertThat(log.messages(Level.INFO)).hasSize(onRedis ? 4 : 2);
                    return true;
                }
            });
        }

        /** Each lifts what is not there: its thread has then said all changes before. */
        private void awaitAllSaid() {
            one.lift("bucket");
            other.lift("bucket");
        }

        @Test
        void aLimitOfARouteIsOverriddenByItsName() {
            one.override("bucket", "{\"maxRequests\": 7, \"burst\": 9, \"for\": \"1h\"}");
            assertThat(one.get("/bucket", "dora").header("RateLimit")).startsWith("\"bucket\";r=8;");
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                quoteCharacter = '~',
                value = {
                    "{}|maxRequests",
                    "|maxRequests",
                    "{\"for\": \"30m\"}|maxRequests",
                    "{\"maxRequests\": \"many\", \"for\": \"30m\"}|maxRequests",
                    "{\"maxRequests\": 1.5, \"for\": \"30m\"}|maxRequests",
                    "{\"maxRequests\": 0, \"for\": \"30m\"}|maxRequests",
                    "{\"maxRequests\": -1, \"for\": \"30m\"}|maxRequests",
                    "{\"maxRequests\": 99999999999999999999, \"for\": \"30m\"}|maxRequests",
                    "{\"maxRequests\": 1000000000001, \"for\": \"30m\"}|maxRequests",
                    "{\"maxRequests\": 50}|for",
                    "{\"maxRequests\": 50, \"for\": \"soon\"}|for",
                    "{\"maxRequests\": 50, \"for\": \"0s\"}|for",
                    "{\"maxRequests\": 50, \"for\": \"-5m\"}|for",
                    "{\"maxRequests\": 50, \"for\": \"400d\"}|for",
                    "{\"maxRequests\": 50, \"for\": \"30m\", \"burst\": 60}|burst",
                    "{\"maxRequest\": 50, \"for\": \"30m\"}|maxRequest",
                    "{\"maxRequests\": 50, \"resource\": \"limits,bucket\", \"for\": \"30m\"}|resource",
                    "{\"limit\": 50, \"for\": \"30m\"}|limit"
                })
        void aBodyThatCannotBeUsedIsABadRequestThatNamesTheField(String body, String field) {
            Answer answer = one.override("api", body == null ? "" : body);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.body()).startsWith("{\"error\":\"" + field);
            assertThat(one.app().bean(Overrides.class).of("api")).isEmpty();
            assertThat(one.app().bean(Overrides.class).of("bucket")).isEmpty();
        }

        /** Each value in each field: what is wrong is said of that field, and quoted where it is one value. */
        @ParameterizedTest
        @CsvSource({
            "maxRequests, true",
            "maxRequests, \"\"",
            "maxRequests, \" \"",
            "maxRequests, 1e3",
            "maxRequests, 1000000000000000000",
            "maxRequests, 1000000000000000000000000000000",
            "burst, true",
            "burst, \"\"",
            "burst, 1.5",
            "burst, -1",
            "burst, 0",
            "burst, 1000000000000000000",
            "burst, 1000000000000000000000000000000",
            "for, true",
            "for, \"\"",
            "for, \" \"",
            "for, 1.5",
            "for, 1us",
            "for, -1",
            "for, P9999999999999999D",
            "for, 9223372036854775807d",
            "for, 1000000000000000000",
            "for, 1000000000000000000000000000000"
        })
        void aValueThatCannotBeUsedIsQuoted(String field, String value) {
            boolean plain = value.matches("true|-?[0-9.e]+");
            assertThat(badRequest(field, plain ? value : "\"" + value.replace("\"", "") + "\""))
                    .startsWith("{\"error\":\"" + field)
                    .contains("'" + value.replace("\"", "") + "'")
                    .doesNotContain("is not a whole number\"");
        }

        /** Spring's own 400, which names no field. */
        @ParameterizedTest
        @ValueSource(
                strings = {"{\"maxRequests\": [1], \"for\": \"30m\"}", "[]", "7", "\"text\"", "{\"maxRequests\": 5,"})
        void aBodyThatIsNoObjectOfSingleValuesIsA400(String body) {
            assertThat(one.override("bucket", body).status()).isEqualTo(400);
            assertThat(one.app().bean(Overrides.class).of("bucket")).isEmpty();
        }

        private String badRequest(String field, String value) {
            Map<String, String> fields = new TreeMap<>(Map.of("maxRequests", "5", "for", "\"30m\""));
            fields.put(field, value);
            Answer answer = one.override(
                    "bucket",
                    fields.entrySet().stream()
                            .map(entry -> "\"" + entry.getKey() + "\": " + entry.getValue())
                            .collect(Collectors.joining(", ", "{", "}")));
            assertThat(answer.status()).as(answer.body()).isEqualTo(400);
            assertThat(one.app().bean(Overrides.class).of("bucket")).isEmpty();
            return answer.body();
        }

        @Test
        void aParameterDoesNotNameAnotherLimitThanThePath() {
            assertThat(one.override("api?resource=limits,bucket", "{\"maxRequests\": 5, \"for\": \"1h\"}")
                            .body())
                    .startsWith("{\"error\":\"resource");
            one.override("bucket", "{\"maxRequests\": 5, \"for\": \"1h\"}");
            assertThat(one.lift("api?subject=limits,bucket").body()).startsWith("{\"error\":\"subject");
            assertThat(one.app().bean(Overrides.class).of("bucket")).isPresent();
        }

        @Test
        void anInstanceLiftsWhatItDoesNotFollowYet() {
            one.override("api", "{\"maxRequests\": 4, \"for\": \"1h\"}");
            assertThat(other.lift("api").status()).isEqualTo(200);
            one.awaitOverride("api", null);
        }

        @Test
        void whatIsNotThereIsNotFound() {
            assertThat(one.override("apo", "{\"maxRequests\": 5, \"for\": \"1h\"}")
                            .status())
                    .isEqualTo(404);
            assertThat(one.lift("apo").status()).isEqualTo(404);
            assertThat(one.lift("api").status()).isEqualTo(404);
        }

        @Test
        void nobodyChangesAnythingUnlessAccessIsGiven() {
            try (OverriddenApp readOnly = instance("read-only")) {
                assertThat(readOnly.override("api", "{\"maxRequests\": 5, \"for\": \"1h\"}")
                                .status())
                        .isIn(404, 405);
            }
        }

        private OverriddenApp instance(String access) {
            return onRedis
                    ? OverriddenApp.onRedis(stack, TestRedis.uri(), prefix, access)
                    : OverriddenApp.inMemory(stack, access);
        }
    }
}
