package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Organisation, team and user: a route counts each by its own key, in one decision. */
class LevelsHttpTest {

    @RestController
    static class Calls {
        @GetMapping({"/api/x", "/tokens", "/refunded", "/open", "/failing", "/two/x", "/plain", "/mixed"})
        ResponseEntity<String> call(
                @RequestParam(defaultValue = "1") String tokens, @RequestParam(defaultValue = "200") int status) {
            return ResponseEntity.status(status).header("X-Tokens", tokens).body("ok");
        }
    }

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

    abstract static class OnStack extends TwoInstances {

        OnStack(Stack stack, boolean onRedis) {
            super(stack, onRedis);
        }

        @Test
        void theLevelThatRefusesIsNamedAndTheOthersAreNotCharged() {
            for (int i = 0; i < 3; i++) {
                assertThat(get(i == 1 ? other : one, "/api/x", "acme", "red", "ann")
                                .status())
                        .isEqualTo(200);
            }
            Answer byUser = get(other, "/api/x", "acme", "red", "ann");
            assertThat(byUser.status()).isEqualTo(429);
            assertThat(byUser.body()).contains("\"violated-policies\":[\"user\"]");
            assertThat(byUser.header("RateLimit")).contains("\"org\";r=3;", "\"team\";r=1;", "\"user\";r=0;");

            assertThat(get(one, "/api/x", "acme", "red", "bob").status()).isEqualTo(200);
            assertThat(get(one, "/api/x", "acme", "red", "bob").body()).contains("\"violated-policies\":[\"team\"]");
            assertThat(get(other, "/api/x", "acme", "blue", "bob").status()).isEqualTo(200);
            assertThat(get(one, "/api/x", "acme", "blue", "cid").status()).isEqualTo(200);
            assertThat(get(one, "/api/x", "acme", "blue", "cid").body()).contains("\"violated-policies\":[\"org\"]");
        }

        @Test
        void aUserWithoutATeamSkipsIt() {
            for (int i = 0; i < 6; i++) {
                Answer answer = one.get("/api/x", "X-Org", "skips", "X-User", "skips" + i);
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("RateLimit")).doesNotContain("team");
            }
        }

        @Test
        void allLevelsAreSettled() {
            get(one, "/tokens?tokens=5", "tok", "tok", "tok");
            await().until(() -> get(other, "/tokens?tokens=0", "tok", "tok", "tok")
                    .header("RateLimit")
                    .matches(".*\"big-org\";r=85;.*\"big-user\";r=75;.*")); // 5 are used, and 10 are charged at first
        }

        @Test
        void allLevelsAreRefunded() {
            get(one, "/refunded", "ref", "ref", "ref");
            await().until(() -> get(other, "/refunded", "ref", "ref", "ref")
                    .header("RateLimit")
                    .equals("\"org\";r=5;t=86400,\"user\";r=2;t=86400"));
        }

        @Test
        void aCostAndWhatCountsAreForTheLevelsThatCountThem() {
            String[] headers = {"X-Org", "mix", "X-User", "mix", "X-Device", "one"};
            Answer charged = one.get("/mixed?status=500", headers);
            assertThat(charged.header("RateLimit"))
                    .startsWith("\"big-org\";r=90;")
                    .contains(",\"devices\";r=1;", ",\"flying\";r=2;");
            await().until(() -> other.get("/mixed", headers).header("RateLimit").startsWith("\"big-org\";r=80;"));
            await().until(() -> other.get("/mixed", headers).header("RateLimit").matches(".*r=80;.*\"flying\";r=2;.*"));
        }

        @Test
        void aRequestThatNoLevelCountsIsNotLimitedAndWarnsOnce() {
            try (LogCapture log = LogCapture.of("io.ratelimit.RL-463")) {
                for (int i = 0; i < 8; i++) {
                    Answer answer = other.get("/open");
                    assertThat(answer.status()).isEqualTo(200);
                    assertThat(answer.header("RateLimit")).isNull();
                }
                assertThat(log.messages(Level.WARN))
                        .singleElement()
                        .asString()
                        .contains("rate-limiter.routes.open.levels[1]");
            }
        }

        @Test
        void aKeyThatFailsCountsTheAddress() {
            assertThat(one.get("/failing").header("RateLimit")).startsWith("\"org\";r=5;");
            assertThat(one.get("/failing", "X-Org", "short").header("RateLimit"))
                    .startsWith("\"org\";r=4;");
        }

        @Test
        void theExplanationHasEachLevel() throws Exception {
            Answer explained = one.get("/actuator/ratelimits?path=/api/x&header=X-Org:exp&header=X-User:exp");
            assertThat(explained.body())
                    .contains(
                            "\"declaredBy\":\"rate-limiter.routes.api.levels[0]\",\"key\":\"header:X-Org\",\"subject\":\"header:x-org:exp\"",
                            "\"declaredBy\":\"rate-limiter.routes.api.levels[1]\",\"key\":\"header:X-Team\",\"subject\":null",
                            "does not apply: key 'header:X-Team' finds nothing",
                            "\"declaredBy\":\"rate-limiter.routes.api.levels[2]\"")
                    .doesNotContain("no level names a subject");
            assertThat(one.get("/actuator/ratelimits").body())
                    .contains("\"rule\":null,\"levels\":[{\"limits\":[\"org\"],\"key\":\"header:X-Org\"");
        }

        @Test
        void levelsOfPrincipalsAreDecidedAfterAuthenticationAndCountTheAddressOfWhoIsTurnedAway() {
            List<String> properties = new ArrayList<>(List.of("rate-limiter.routes.plain.paths=/plain,/two/**"));
            limit("org", 6, properties);
            limit("user", 3, properties);
            level("plain", 0, "org", "#principal.name.substring(0, 1)", properties);
            level("plain", 1, "user", "principal", properties);
            try (TestApp secured = TestApp.startSecured(
                    stack, List.of(Secured.by(stack), Calls.class), properties.toArray(String[]::new))) {
                assertThat(secured.get("/two/x").status()).isEqualTo(200);
                for (int i = 0; i < 3; i++) {
                    assertThat(secured.get("/plain", "Authorization", Secured.basic("alice", "pw"))
                                    .status())
                            .isEqualTo(200);
                    assertThat(secured.get("/plain").status()).isEqualTo(401);
                }
                assertThat(secured.get("/plain", "Authorization", Secured.basic("alice", "pw"))
                                .body())
                        .contains("\"violated-policies\":[\"user\"]");
                assertThat(secured.get("/plain", "Authorization", Secured.basic("bob", "pw"))
                                .header("RateLimit"))
                        .startsWith("\"org\";r=5;");
                assertThat(secured.get("/plain").status()).isEqualTo(429);
            }
        }

        @Test
        void whoIsTurnedAwayIsCountedOnceByALimitOfSeveralLevelsOrRoutes() {
            List<String> properties = new ArrayList<>(List.of(
                    "rate-limiter.routes.both.paths=/plain",
                    "rate-limiter.routes.never.paths=/plain",
                    "rate-limiter.routes.never.key=principal",
                    "rate-limiter.routes.never.limits=user",
                    "rate-limiter.routes.never.condition=#request.header('X-Never') != null",
                    "rate-limiter.routes.other.paths=/plain",
                    "rate-limiter.routes.other.key=principal",
                    "rate-limiter.routes.other.limits=org,user"));
            limit("org", 6, properties);
            limit("user", 7, properties);
            level("both", 0, "org", "#principal.name.substring(0, 1)", properties);
            level("both", 1, "org", "principal", properties);
            try (TestApp secured = TestApp.startSecured(
                    stack, List.of(Secured.by(stack), Calls.class), properties.toArray(String[]::new))) {
                for (int i = 5; i >= 0; i--) {
                    Answer turnedAway = secured.get("/plain");
                    assertThat(turnedAway.status()).isEqualTo(401);
                    assertThat(turnedAway.header("RateLimit"))
                            .contains("\"org\";r=" + i + ";", "\"user\";r=" + (i + 1) + ";");
                }
                assertThat(secured.get("/plain").body()).contains("\"violated-policies\":[\"org\"]");
            }
        }

        @Test
        void whoIsTurnedAwayIsCountedOnceByALimitThatHasCountedTheAddressBefore() {
            List<String> properties = new ArrayList<>(List.of(
                    "rate-limiter.routes.early.paths=/plain",
                    "rate-limiter.routes.early.key=ip",
                    "rate-limiter.routes.early.limits=user",
                    "rate-limiter.routes.agent.paths=/plain",
                    "rate-limiter.routes.agent.key=header:X-Org",
                    "rate-limiter.routes.agent.limits=org",
                    "rate-limiter.routes.late.paths=/plain",
                    "rate-limiter.routes.late.key=principal",
                    "rate-limiter.routes.late.limits=org,user"));
            limit("org", 5, properties);
            limit("user", 3, properties);
            try (TestApp secured = TestApp.startSecured(
                    stack, List.of(Secured.by(stack), Calls.class), properties.toArray(String[]::new))) {
                for (int i = 2; i >= 0; i--) {
                    Answer turnedAway = secured.get("/plain", "X-Org", "another subject");
                    assertThat(turnedAway.status()).isEqualTo(401);
                    assertThat(turnedAway.header("RateLimit"))
                            .contains("\"org\";r=" + (i + 2) + ";", "\"user\";r=" + i + ";");
                }
                assertThat(secured.get("/plain").body()).contains("\"violated-policies\":[\"user\"]");
            }
        }

        private static Answer get(TestApp app, String path, String org, String team, String user) {
            return app.get(path, "X-Org", org, "X-Team", team, "X-User", user);
        }

        private static void level(String route, int index, String limit, String key, List<String> properties) {
            String level = "rate-limiter.routes.%s.levels[%d].".formatted(route, index);
            properties.addAll(List.of(level + "limits=" + limit, level + "key=" + key));
        }

        private static void limit(String name, int requests, List<String> properties) {
            String limit = "rate-limiter.limits." + name + ".";
            properties.addAll(List.of(limit + "max-requests=" + requests, limit + "window-size=1d"));
        }

        @Override
        TestApp instance(String... store) {
            List<String> properties = new ArrayList<>(List.of(store));
            properties.addAll(List.of(
                    "management.endpoints.web.exposure.include=ratelimits",
                    "rate-limiter.routes.api.paths=/api/**",
                    "rate-limiter.routes.tokens.paths=/tokens",
                    "rate-limiter.routes.tokens.cost=10",
                    "rate-limiter.routes.tokens.actual-cost=header:X-Tokens",
                    "rate-limiter.routes.refunded.paths=/refunded",
                    "rate-limiter.routes.refunded.count=failures",
                    "rate-limiter.routes.open.paths=/open",
                    "rate-limiter.routes.failing.paths=/failing",
                    "rate-limiter.routes.mixed.paths=/mixed",
                    "rate-limiter.routes.mixed.cost=10",
                    "rate-limiter.routes.mixed.count=failures",
                    "rate-limiter.limits.devices.use-algo=unique-count",
                    "rate-limiter.limits.flying.use-algo=concurrency",
                    "rate-limiter.routes.mixed.levels[1].element=header:X-Device"));
            limit("org", 6, properties);
            limit("team", 4, properties);
            limit("user", 3, properties);
            limit("big-org", 100, properties);
            limit("big-user", 90, properties);
            limit("devices", 2, properties);
            limit("flying", 12, properties);
            level("api", 0, "org", "header:X-Org", properties);
            level("api", 1, "team", "header:X-Team", properties);
            level("api", 2, "user", "header:X-User", properties);
            level("tokens", 0, "big-org", "header:X-Org", properties);
            level("tokens", 1, "big-user", "header:X-User", properties);
            level("refunded", 0, "org", "header:X-Org", properties);
            level("refunded", 1, "user", "header:X-User", properties);
            level("open", 0, "org", "header:X-Org", properties);
            level("open", 1, "user", "principal", properties);
            level("mixed", 0, "big-org", "header:X-Org", properties);
            level("mixed", 1, "devices", "header:X-Org", properties);
            level("mixed", 2, "flying", "header:X-User", properties);
            level("failing", 0, "org", "#request.header('X-Org').substring(9)", properties);
            return TestApp.start(stack, List.of(Calls.class), properties.toArray(String[]::new));
        }
    }
}
