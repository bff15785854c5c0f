package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.session.MapSessionRepository;
import org.springframework.session.config.annotation.web.http.EnableSpringHttpSession;
import org.springframework.web.server.session.HeaderWebSessionIdResolver;
import org.springframework.web.server.session.WebSessionIdResolver;

/** What Spring Security answers itself is charged by address to the routes that would have decided after it. */
class TurnedAwayHttpTest {

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET);
        }

        /** What it has written is gone with all that the response held. */
        @Test
        void whatACorsFilterInFrontHasWrittenIsWrittenAgain() {
            try (TestApp cors = TestApp.startSecured(
                    Stack.SERVLET,
                    List.of(TurningAway.OnServlet.class, ServletLooks.InFront.class, ShopController.class),
                    "rate-limiter.routes.early.paths=/login",
                    "rate-limiter.routes.early.max-requests=9",
                    "rate-limiter.routes.early.key=ip",
                    "rate-limiter.routes.login.paths=/login",
                    "rate-limiter.routes.login.max-requests=1")) {
                cors.send("POST", "/login?username=alice&password=x");
                Answer refused = cors.send("POST", "/login?username=alice&password=pw", "Origin", "https://a.example");

                assertThat(refused.status()).isEqualTo(429);
                assertThat(refused.header("Access-Control-Allow-Origin")).isEqualTo("https://a.example");
                assertThat(refused.header("RateLimit")).startsWith("\"early\";r=7;");
            }
        }

        private static Stream<List<Class<?>>> sessions() {
            return Stream.of(
                    List.of(TurningAway.OnServlet.class),
                    List.of(TurningAway.OnServletByIdThatStays.class),
                    List.of(TurningAway.OnServlet.class, InSpringSession.class),
                    List.of(TurningAway.OnServletByIdThatStays.class, InSpringSession.class));
        }

        @ParameterizedTest
        @MethodSource("sessions")
        void aLogInThatIsRefusedLetsNobodyIn(List<Class<?>> sessions) {
            List<Class<?>> all = new ArrayList<>(sessions);
            all.add(ShopController.class);
            try (TestApp app = TestApp.startSecured(Stack.SERVLET, all, LOG_INS)) {
                String sent = cookie(logIn(app, "x", "none=none"));
                String let = cookie(logIn(app, "pw", "none=none"));
                assertThat(app.get("/plain/x", "Cookie", let).status()).isEqualTo(200);

                Answer refused = logIn(app, "pw", sent);
                Answer refusedWithoutASession = logIn(app, "pw", "none=none");

                assertThat(List.of(refused, refusedWithoutASession))
                        .allSatisfy(answer -> assertThat(answer.status()).isEqualTo(429));
                assertThat(List.of(sent, cookie(refused), cookie(refusedWithoutASession)))
                        .allSatisfy(cookie -> assertThat(
                                        app.get("/plain/x", "Cookie", cookie).status())
                                .isIn(302, 401));
            }
        }

        @ParameterizedTest
        @MethodSource("sessions")
        void aUserWhoMayNotStaysLoggedInWhenRefused(List<Class<?>> sessions) {
            List<Class<?>> all = new ArrayList<>(sessions);
            all.add(ShopController.class);
            try (TestApp app = TestApp.startSecured(Stack.SERVLET, all, LOG_INS)) {
                String let = cookie(logIn(app, "pw", "none=none"));
                assertThat(app.get("/plain/admin", "Cookie", let).status()).isEqualTo(403);

                assertThat(app.get("/plain/admin", "Cookie", let).status()).isEqualTo(429);
                assertThat(app.get("/plain/x", "Cookie", let).status()).isEqualTo(200);
            }
        }

        /** It is the second of the user's own. */
        @Test
        void aLogInThatIsAnsweredByAForwardLetsNobodyInWhenRefused() {
            try (TestApp app = TestApp.startSecured(
                    Stack.SERVLET,
                    List.of(TurningAway.OnServletByForward.class, ShopController.class),
                    "rate-limiter.routes.login.paths=/login",
                    "rate-limiter.routes.login.methods=POST",
                    "rate-limiter.routes.login.max-requests=1",
                    "rate-limiter.routes.login.window-size=1d")) {
                Answer admitted = logIn(app, "pw", "none=none");
                assertThat(admitted.body()).isEqualTo("ok");
                String let = cookie(admitted);
                String sent = cookie(app.get("/plain/x", "Accept", "text/html"));

                Answer refused = logIn(app, "pw", sent);
                Answer refusedWithoutASession = logIn(app, "pw", "none=none");
                Answer refusedAgain = logIn(app, "pw", let);

                assertThat(List.of(refused, refusedWithoutASession, refusedAgain))
                        .allSatisfy(answer -> assertThat(answer.status()).isEqualTo(429));
                assertThat(List.of(sent, cookie(refused), cookie(refusedWithoutASession)))
                        .allSatisfy(cookie -> assertThat(
                                        app.get("/plain/x", "Cookie", cookie).status())
                                .isIn(302, 401));
            }
        }

        @Test
        void aLogInThatGoesOnLetsNobodyInWhenRefused() {
            try (TestApp app = TestApp.startSecured(
                    Stack.SERVLET,
                    List.of(TurningAway.OnServletByBasicWithSession.class, ShopController.class),
                    "rate-limiter.routes.all.paths=/plain/**",
                    "rate-limiter.routes.all.max-requests=1",
                    "rate-limiter.routes.all.window-size=1d")) {
                String sent = cookie(app.get("/plain/x", "Accept", "text/html"));
                String let = cookie(asAlice(app, "none=none"));

                Answer refused = asAlice(app, sent);
                Answer refusedWithoutASession = asAlice(app, "none=none");

                assertThat(List.of(refused, refusedWithoutASession))
                        .allSatisfy(answer -> assertThat(answer.status()).isEqualTo(429));
                assertThat(List.of(sent, cookie(refused), cookie(refusedWithoutASession)))
                        .allSatisfy(cookie -> assertThat(
                                        app.get("/two/x", "Cookie", cookie).status())
                                .isEqualTo(401));
                assertThat(app.get("/two/x", "Cookie", let).status()).isEqualTo(200);
            }
        }

        private static Answer asAlice(TestApp app, String cookie) {
            return app.get("/plain/x", "Authorization", Secured.basic("alice", "pw"), "Cookie", cookie);
        }

        private static Answer logIn(TestApp app, String password, String cookie) {
            return app.post("/login", Map.of("username", "alice", "password", password), "Cookie", cookie);
        }

        private static String cookie(Answer answer) {
            return answer.headers()
                    .firstValue("Set-Cookie")
                    .map(cookie -> cookie.substring(0, cookie.indexOf(';')))
                    .orElse("none=none");
        }
    }

    /** Hands a session out when the response is committed. */
    @Configuration(proxyBeanMethods = false)
    @EnableSpringHttpSession
    static class InSpringSession {

        @Bean
        MapSessionRepository sessions() {
            return new MapSessionRepository(new ConcurrentHashMap<>());
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE);
        }

        @Test
        void aLogInThatIsRefusedLetsNobodyInByAHeader() {
            try (TestApp app = TestApp.startSecured(
                    Stack.REACTIVE,
                    List.of(TurningAway.OnReactive.class, ShopController.class, InHeader.class),
                    LOG_INS)) {
                String sent = session(app.get("/plain/x", "Accept", "text/html"));
                logIn(app, "x", sent);
                String let = session(logIn(app, "pw", "none"));
                assertThat(app.get("/plain/x", SESSION, let).status()).isEqualTo(200);

                Answer refused = logIn(app, "pw", sent);
                Answer refusedWithoutASession = logIn(app, "pw", "none");

                assertThat(List.of(refused, refusedWithoutASession))
                        .allSatisfy(answer -> assertThat(answer.status()).isEqualTo(429));
                assertThat(List.of(sent, session(refused), session(refusedWithoutASession)))
                        .allSatisfy(session -> assertThat(
                                        app.get("/plain/x", SESSION, session).status())
                                .isIn(302, 401));
            }
        }

        @Test
        void aUserWhoMayNotStaysLoggedInWhenRefused() {
            try (TestApp app = TestApp.startSecured(
                    Stack.REACTIVE,
                    List.of(TurningAway.OnReactive.class, ShopController.class, InHeader.class),
                    LOG_INS)) {
                String let = session(logIn(app, "pw", "none"));
                assertThat(app.get("/plain/admin", SESSION, let).status()).isEqualTo(403);

                assertThat(app.get("/plain/admin", SESSION, let).status()).isEqualTo(429);
                assertThat(app.get("/plain/x", SESSION, let).status()).isEqualTo(200);
            }
        }

        @Test
        void aLogInThatItsHandlerAnswersLetsNobodyInWhenRefused() {
            try (TestApp app = TestApp.startSecured(
                    Stack.REACTIVE,
                    List.of(TurningAway.OnReactiveByHandler.class, ShopController.class, InHeader.class),
                    "rate-limiter.routes.login.paths=/plain/login",
                    "rate-limiter.routes.login.max-requests=1")) {
                Map<String, String> alice = Map.of("username", "alice", "password", "pw");
                String let = session(app.post("/plain/login", alice));
                assertThat(app.get("/plain/x", SESSION, let).status()).isEqualTo(200);

                Answer refused = app.post("/plain/login", alice);

                assertThat(refused.status()).isEqualTo(429);
                assertThat(app.get("/plain/x", SESSION, session(refused)).status())
                        .isIn(302, 401);
                assertThat(app.get("/plain/login", SESSION, let).status()).isEqualTo(429);
                assertThat(app.get("/plain/x", SESSION, let).status()).isEqualTo(200);
            }
        }

        private static Answer logIn(TestApp app, String password, String session) {
            return app.post("/login", Map.of("username", "alice", "password", password), SESSION, session);
        }

        private static String session(Answer answer) {
            return answer.headers()
                    .firstValue(SESSION)
                    .filter(id -> !id.isEmpty())
                    .orElse("none");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class InHeader {

        @Bean
        WebSessionIdResolver webSessionIdResolver() {
            return new HeaderWebSessionIdResolver();
        }
    }

    private static final String SESSION = HeaderWebSessionIdResolver.DEFAULT_HEADER_NAME;

    private static final String[] LOG_INS = {
        "rate-limiter.routes.login.paths=/login",
        "rate-limiter.routes.login.methods=POST",
        "rate-limiter.routes.login.max-requests=2",
        "rate-limiter.routes.login.window-size=1d",
        "rate-limiter.routes.admin.paths=/plain/admin",
        "rate-limiter.routes.admin.max-requests=1",
        "rate-limiter.routes.admin.window-size=1d"
    };

    private static final List<String> HEADERS =
            List.of("Content-Security-Policy", "X-Frame-Options", "X-Content-Type-Options", "X-XSS-Protection");

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {
        private final Stack stack;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        private final LogCapture ofMvc = LogCapture.of("org.springframework.web.servlet.handler");
        private TestApp app;

        @BeforeAll
        void start() {
            app = started(List.of(AtSettableTime.class));
        }

        private TestApp started(List<Class<?>> time, String... more) {
            List<Class<?>> configurations = new ArrayList<>(time);
            configurations.add(stack == Stack.SERVLET ? TurningAway.OnServlet.class : TurningAway.OnReactive.class);
            configurations.add(ShopController.class);
            List<String> properties = new ArrayList<>(List.of(
                    "rate-limiter.routes.login.paths=/login",
                    "rate-limiter.routes.login.methods=POST",
                    "rate-limiter.routes.login.max-requests=1",
                    "rate-limiter.routes.login.cost=#request.param('cost') == null ? 1 : 5",
                    "rate-limiter.routes.dear.paths=/plain/dear",
                    "rate-limiter.routes.dear.max-requests=1",
                    "rate-limiter.routes.dear.cost=header:X-Cost",
                    "rate-limiter.routes.flood.paths=/two/flood",
                    "rate-limiter.routes.flood.max-requests=1",
                    "rate-limiter.routes.flood.key=ip",
                    "rate-limiter.routes.all.paths=/plain/**",
                    "rate-limiter.routes.all.max-requests=3"));
            properties.addAll(List.of(more));
            return TestApp.startSecured(stack, configurations, properties.toArray(String[]::new));
        }

        @AfterAll
        void stop() {
            app.close();
            ofMvc.close();
            assertThat(ofMvc.messages(Level.WARN))
                    .as("of matching a path twice")
                    .isEmpty();
        }

        /** A window later, so that nothing is used up. */
        @BeforeEach
        void advance() {
            app.bean(SettableClock.class).advance(Duration.ofMinutes(1));
        }

        @Test
        void logInsAreCountedByTheDefaultKey() {
            Answer first = logIn("x");
            assertThat(first.status()).isEqualTo(302);
            assertThat(first.header("RateLimit")).isEqualTo("\"login\";r=0;t=60");
            for (int i = 0; i < 3; i++) {
                Answer refused = logIn("" + i);
                assertThat(refused.status()).isEqualTo(429);
                assertThat(refused.header("Location")).isNull();
                assertThat(refused.header("Retry-After")).isEqualTo("60");
            }
        }

        @Test
        void aLogInThatIsRefusedGetsNoSession() {
            logIn("x");

            Answer refused = logIn("pw");

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Set-Cookie")).isNull();
        }

        /** Else the store's failure would tell uncounted whether a password is right. */
        @Test
        void aLogInWithoutADecisionGetsNoSessionEither() {
            try (TestApp closed = started(
                    List.of(),
                    "spring.data.redis.port=1",
                    "rate-limiter.store=redis",
                    "rate-limiter.timeout=20ms",
                    "rate-limiter.routes.login.on-store-failure=closed")) {
                Answer right = logIn(closed, "/login", "pw");
                Answer wrong = logIn(closed, "/login", "x");

                assertThat(right.status()).isEqualTo(503);
                assertThat(right.header("Set-Cookie")).isNull();
                assertThat(right.header("Location")).isNull();
                assertThat(wrong.body()).isEqualTo(right.body());
            }
        }

        /** Its password has been checked. */
        @Test
        void aLogInThatCostsMoreThanItsLimitAdmitsIsChargedAllOfThat() {
            Answer first = logIn(app, "/login?cost=5", "x");
            assertThat(first.status()).isEqualTo(302);
            assertThat(first.header("RateLimit")).isEqualTo("\"login\";r=0;t=60");
            assertThat(logIn(app, "/login?cost=5", "y").status()).isEqualTo(429);
            assertThat(logIn(app, "/login?cost=5", "pw").status()).isEqualTo(429);
        }

        @ParameterizedTest
        @ValueSource(strings = {"9", "0", "-1", "x", "99999999999999999999"})
        void aWrongPasswordIsChargedHoweverBadItsCost(String cost) {
            String[] headers = {"X-Cost", cost, "Authorization", Secured.basic("alice", "x")};
            Answer first = app.get("/plain/dear", headers);
            assertThat(first.status()).isEqualTo(401);
            assertThat(first.header("RateLimit")).contains("\"dear\";r=0;");
            assertThat(app.get("/plain/dear", headers).status()).isEqualTo(429);
            assertThat(app.get("/plain/dear", "X-Cost", cost, "Authorization", Secured.basic("alice", "pw"))
                            .status())
                    .as("a call that is not turned away")
                    .isEqualTo(400);
        }

        @Test
        void wrongPasswordsAreCountedByAddressAndSpendNothingOfTheUsers() {
            for (int i = 0; i < 3; i++) {
                Answer turnedAway = as("alice", "wrong" + i, "/plain/x");
                assertThat(turnedAway.status()).isEqualTo(401);
                assertThat(turnedAway.header("RateLimit")).isEqualTo("\"all\";r=" + (2 - i) + ";t=60");
            }
            for (int i = 0; i < 5; i++) {
                Answer refused = as("alice", "wrong" + i, "/plain/x");
                assertThat(refused.status()).isEqualTo(429);
                assertThat(refused.body()).contains("#quota-exceeded");
            }
            assertThat(as("alice", "pw", "/plain/x").header("RateLimit")).isEqualTo("\"all\";r=2;t=60");
        }

        @Test
        void passwordsGuessedInWhatLooksLikeAPreflightAreCounted() {
            for (int i = 0; i < 3; i++) {
                assertThat(preflightAs("alice", "wrong" + i).status()).isEqualTo(401);
            }
            assertThat(preflightAs("alice", "wrong").status()).isEqualTo(429);
        }

        private Answer preflightAs(String user, String password) {
            return app.send(
                    "OPTIONS",
                    "/plain/x",
                    "Authorization",
                    Secured.basic(user, password),
                    "Origin",
                    "https://a.example",
                    "Access-Control-Request-Method",
                    "GET");
        }

        @ParameterizedTest
        @ValueSource(strings = {"/plain/status", "/plain/body"})
        void howeverItIsAnswered(String path) {
            for (int i = 0; i < 3; i++) {
                assertThat(app.get(path).status()).isEqualTo(401);
            }

            Answer refused = app.get(path);

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(refused.body()).startsWith("{\"type\"").contains("#quota-exceeded");
        }

        @Test
        void aRefusalHasTheSecurityHeadersOfAllOtherAnswers() {
            Answer unlimited = app.get("/two/flood");
            Answer beforeAuthentication = app.get("/two/flood");
            for (int i = 0; i < 3; i++) {
                app.get("/plain/x");
            }
            Answer inPlaceOfA401 = app.get("/plain/x");

            assertThat(List.of(beforeAuthentication, inPlaceOfA401))
                    .allSatisfy(refused -> assertThat(refused.status()).isEqualTo(429))
                    .allSatisfy(refused -> assertThat(HEADERS)
                            .allSatisfy(name -> assertThat(refused.header(name))
                                    .as(name)
                                    .isNotNull()
                                    .isEqualTo(unlimited.header(name))));
        }

        @Test
        void aUserWhoMayNotIsCountedByAddressToo() {
            for (int i = 0; i < 3; i++) {
                assertThat(as("alice", "pw", "/plain/admin").status()).isEqualTo(403);
            }
            assertThat(as("alice", "pw", "/plain/admin").status()).isEqualTo(429);
            assertThat(as("alice", "pw", "/plain/x").header("RateLimit")).isEqualTo("\"all\";r=2;t=60");
        }

        @Test
        void whoIsAuthenticatedIsCountedOnce() {
            for (int i = 2; i >= 0; i--) {
                assertThat(as("alice", "pw", "/plain/x").header("RateLimit")).isEqualTo("\"all\";r=" + i + ";t=60");
            }
            assertThat(as("alice", "pw", "/plain/x").status()).isEqualTo(429);
            assertThat(app.get("/plain/x").status()).isEqualTo(401);
        }

        private Answer logIn(String password) {
            return logIn(app, "/login", password);
        }

        private static Answer logIn(TestApp at, String path, String password) {
            return at.post(path, Map.of("username", "alice", "password", password));
        }

        private Answer as(String user, String password, String path) {
            return app.get(path, "Authorization", Secured.basic(user, password));
        }
    }
}
