package io.ratelimit.spring.web;

import static io.ratelimit.spring.testing.LimitsEndpoint.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AppTest;
import io.ratelimit.spring.testing.LimitsEndpoint;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The endpoint over HTTP, as who operates an application calls it. */
class RateLimitsEndpointHttpTest {

    static class Mailer {
        @RateLimited(maxRequests = "7", windowSize = "1h", key = "global")
        public void send() {}
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

    private static final String[] LIMITS = {
        "management.endpoints.web.exposure.include=ratelimits,metrics",
        "rate-limiter.limits.login.max-requests=5",
        "rate-limiter.limits.login.window-size=15m",
        "rate-limiter.limits.burst.use-algo=token-bucket",
        "rate-limiter.limits.burst.max-requests=10",
        "rate-limiter.limits.burst.window-size=1h",
        "rate-limiter.limits.burst.burst=20",
        "rate-limiter.routes.api.paths=/api/**",
        "rate-limiter.routes.api.methods=POST",
        "rate-limiter.routes.api.limits=login,burst",
        "rate-limiter.routes.api.key=header:X-User",
        "rate-limiter.routes.own.paths=/own",
        "rate-limiter.routes.own.max-requests=3"
    };

    abstract static class OnStack extends AppTest {

        OnStack(Stack stack) {
            super(
                    stack,
                    List.of(Mailer.class),
                    Stream.concat(Stream.of(LIMITS), Stream.of("management.endpoint.ratelimits.access=unrestricted"))
                            .toArray(String[]::new));
        }

        @Test
        void listsLimitsRoutesAndMethodsWithWhereTheyWereDeclared() throws IOException {
            JsonNode all = json(app().get("/actuator/ratelimits"));

            assertThat(all.at("/store").asText()).isEqualTo("in-memory");
            assertThat(all.at("/limits"))
                    .extracting(limit -> limit.at("/name").asText() + " by "
                            + limit.at("/declaredBy").asText())
                    .containsExactly(
                            "burst by rate-limiter.limits.burst",
                            "login by rate-limiter.limits.login",
                            "own by rate-limiter.routes.own",
                            Mailer.class.getName() + ".send by @RateLimited on " + Mailer.class.getName() + ".send");
            assertThat(all.at("/limits/0").toString())
                    .isEqualTo(
                            "{\"name\":\"burst\",\"algorithm\":\"token-bucket\",\"maxRequests\":10,\"windowSize\":\"PT1H\","
                                    + "\"burst\":20,\"from\":\"configuration\",\"override\":null,\"reportOnly\":false,\"declaredBy\":\"rate-limiter.limits.burst\",\"plans\":[]}");
            assertThat(all.at("/routes/0").toString())
                    .isEqualTo(
                            "{\"name\":\"api\",\"declaredBy\":\"rate-limiter.routes.api\",\"paths\":[\"/api/**\"],\"methods\":[\"POST\"],\"rule\":{\"limits\":[\"login\","
                                    + "\"burst\"],\"key\":\"header:X-User\",\"onStoreFailure\":\"local\"},\"levels\":[]}");
            assertThat(all.at("/methods/0/rules/0/key").asText()).isEqualTo("global");
        }

        @Test
        void showsWhatEveryLimitWouldAnswerASubjectAndChargesNothing() throws IOException {
            charge("principal:alice", 3);

            for (int i = 0; i < 3; i++) {
                JsonNode states = json(app().get("/actuator/ratelimits/principal:alice"));
                assertThat(states).hasSize(4);
                assertThat(states.at("/1/limit").asText()).isEqualTo("login");
                assertThat(states.at("/1/remaining").asLong()).isEqualTo(2);
                assertThat(states.at("/1/retryAfter").asText()).isEqualTo("PT0S");
                assertThat(states.at("/1/source").asText()).isEqualTo("store");
                assertThat(states.at("/0/remaining").asLong()).isEqualTo(20);
            }
        }

        @Test
        void saysWhenARefusedSubjectIsAdmittedAgain() throws IOException {
            charge("ip:198.51.100.7", 5);

            JsonNode login =
                    json(app().get("/actuator/ratelimits/ip:198.51.100.7")).at("/1");
            assertThat(login.at("/remaining").asLong()).isZero();
            assertThat(login.at("/retryAfter").asText()).startsWith("PT14M");
        }

        @Test
        void showsThePageAboutAMessage() throws IOException {
            JsonNode page = json(LimitsEndpoint.send("GET", app(), "code=RL-254"));

            assertThat(page.at("/code").asText()).isEqualTo("RL-254");
            assertThat(page.at("/page").asText()).startsWith("# RL-254: Routes that charge a limit twice\n");
            for (String[] bad : new String[][] {{"code=RL-999"}, {"code="}, {"code=RL-254", "path=/a"}}) {
                assertThat(LimitsEndpoint.send("GET", app(), bad).status()).isEqualTo(400);
            }
        }

        @Test
        void resetsASubject() throws IOException {
            charge("value:a/b", 5);
            assertThat(json(app().get("/actuator/ratelimits/value:a/b"))
                            .at("/1/remaining")
                            .asLong())
                    .isZero();

            assertThat(app().send("DELETE", "/actuator/ratelimits/value:a/b").body())
                    .contains("\"login\"");
            assertThat(json(app().get("/actuator/ratelimits/value:a/b"))
                            .at("/1/remaining")
                            .asLong())
                    .isEqualTo(5);
        }

        @Test
        void aBlankSubjectIsABadRequest() {
            for (String method : List.of("GET", "DELETE")) {
                Answer answer = app().send(method, "/actuator/ratelimits/%20");
                assertThat(answer.status()).isEqualTo(400);
                assertThat(answer.body()).startsWith("{\"error\":\"the subject is blank");
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"a//b", "/a", "a/", "a b,c", "a;b=1", "%2f"})
        void anySubjectIsReadAndResetByItsParameter(String user) throws IOException {
            String subject = "subject=header:x-user:" + user;
            charge("header:x-user:" + user, 2);

            assertThat(json(app(), subject).at("/1/remaining").asLong()).isEqualTo(3);
            assertThat(LimitsEndpoint.send("DELETE", app(), subject).body()).contains("\"login\"");
            assertThat(json(app(), subject).at("/1/remaining").asLong()).isEqualTo(5);
        }

        @ParameterizedTest
        @CsvSource({
            "GET,?subject=%20",
            "DELETE,?subject=%20",
            "DELETE,''",
            "GET,?subject=ip:x&path=/a",
            "GET,/ip:x?subject=ip:y",
            "DELETE,/ip:x?subject=ip:y"
        })
        void aSubjectThatCannotBeReadIsABadRequest(String method, String query) {
            Answer answer = app().send(method, "/actuator/ratelimits" + query);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.body()).startsWith("{\"error\":\"").contains("subject");
        }

        @Test
        void resetsNothingUnlessAccessIsGiven() {
            try (TestApp readOnly = start(LIMITS)) {
                assertThat(readOnly.send("DELETE", "/actuator/ratelimits/principal:alice")
                                .status())
                        .isEqualTo(405);
                assertThat(readOnly.get("/actuator/ratelimits/principal:alice").status())
                        .isEqualTo(200);
            }
        }

        @Test
        void metersCountDecisions() throws IOException {
            charge("principal:metered", 1);

            JsonNode meter =
                    json(app().get("/actuator/metrics/rate.limiter.decisions?tag=limit:login&tag=outcome:allowed"));
            assertThat(meter.at("/measurements/0/value").asDouble()).isPositive();
        }

        private void charge(String subject, long cost) {
            app().bean(RateLimiter.class)
                    .acquire(Acquisition.of(app().bean(Limits.class).get("login"), subject, cost));
        }
    }
}
