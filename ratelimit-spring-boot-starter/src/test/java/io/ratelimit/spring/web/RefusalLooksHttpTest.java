package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.ratelimit.spring.RefusalHandler;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.util.ClassUtils;

/** What a refused client sees, by route (/plain) and by annotation (/annotated). */
class RefusalLooksHttpTest {

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
        private final Stack stack;
        private final Map<List<Class<?>>, TestApp> apps = new HashMap<>();

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @AfterAll
        void close() {
            apps.values().forEach(TestApp::close);
        }

        private static final String BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

        /** Has an application of its own, which answers no other test. */
        static class Unobserved {}

        @Configuration(proxyBeanMethods = false)
        static class OwnHandler {

            @Bean
            RefusalHandler plainText() {
                return (refusal, request) -> request.path().endsWith("/as-ever")
                        ? null
                        : refusal.withStatus(503).withHeader("X-Own", "yes").withBody("text/plain", "slow down");
            }
        }

        @Configuration(proxyBeanMethods = false)
        static class German {

            @Bean
            StaticMessageSource messageSource() {
                StaticMessageSource messages = new StaticMessageSource();
                messages.addMessage("rate-limiter.quota-exceeded.title", Locale.GERMAN, "Zu viele \"Anfragen\"");
                messages.addMessage("rate-limiter.quota-exceeded.detail", Locale.GERMAN, "Bitte warten Sie {0} s.");
                return messages;
            }
        }

        @Configuration(proxyBeanMethods = false)
        static class CodesAsMessages {

            @Bean
            StaticMessageSource messageSource() {
                StaticMessageSource messages = new StaticMessageSource();
                messages.setUseCodeAsDefaultMessage(true);
                return messages;
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"/plain/x", "/annotated?user=amy"})
        void aBrowserGetsAPage(String path) {
            TestApp app = start();
            Answer refused = refused(app, path, "Accept", BROWSER);

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Content-Type")).isEqualTo("text/html;charset=UTF-8");
            assertThat(refused.body()).startsWith("<!DOCTYPE html>").contains("60 s");
            assertIsRefusal(refused);
        }

        @Test
        void theNameOfHtmlHasNoCase() {
            assertThat(refused(start(), "/plain/x", "Accept", "Text/HTML").header("Content-Type"))
                    .isEqualTo("text/html;charset=UTF-8");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "*/*",
                    "application/json, text/plain, */*",
                    "application/json, text/html;q=0.5",
                    "text/html;q=0, */*",
                    "application/*+json, text/html;q=0.5",
                    "html",
                    "text/plain"
                })
        void whateverElseGetsAProblem(String accept) {
            TestApp app = start();
            assertThat(refused(app, "/plain/x", "Accept", accept).header("Content-Type"))
                    .isEqualTo("application/problem+json");
        }

        @ParameterizedTest
        @ValueSource(strings = {"/plain/x", "/annotated?user=amy"})
        void aBrowserGetsTheApplicationsOwnErrorView(String path) {
            TestApp app = start(ofStack("OwnErrorView"));
            Answer refused = refused(app, path, "Accept", BROWSER);

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Content-Type")).startsWith("text/html");
            assertThat(refused.body()).startsWith("own: 429 " + path.replaceFirst("\\?.*", "") + " Request cannot");
            assertIsRefusal(refused);
        }

        @Test
        void aBrokenErrorViewIsReplacedByAPage() {
            TestApp app = start(ofStack("BrokenView"));
            Answer refused = refused(app, "/plain/x", "Accept", BROWSER);

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.body()).startsWith("<!DOCTYPE html>");
        }

        @ParameterizedTest
        @ValueSource(strings = {"/plain/x", "/annotated?user=amy"})
        void aHandlerShapesAnyRefusal(String path) {
            TestApp app = start(OwnHandler.class);
            Answer refused = refused(app, path, "Accept", BROWSER);

            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("X-Own")).isEqualTo("yes");
            assertThat(refused.header("Content-Type")).isEqualTo("text/plain");
            assertThat(refused.body()).isEqualTo("slow down");
            assertIsRefusal(refused);
            assertThat(refused(app, "/plain/as-ever").header("Content-Type")).isEqualTo("application/problem+json");
        }

        @Test
        void messagesOfTheApplicationReplaceTheTexts() {
            TestApp app = start(German.class);
            assertThat(refused(app, "/plain/x", "Accept-Language", "de").body())
                    .contains("\"title\":\"Zu viele \\u0022Anfragen\\u0022\"", "\"detail\":\"Bitte warten Sie 60 s.\"");
            assertThat(refused(app, "/plain/x", "Accept-Language", "de", "Accept", BROWSER)
                            .body())
                    .contains("<h1>Zu viele &quot;Anfragen&quot;</h1>", "Bitte warten Sie 60 s.");
            assertThat(refused(app, "/plain/x", "Accept-Language", "en").body()).contains("Request cannot be");
        }

        @ParameterizedTest
        @ValueSource(strings = {"/plain/x", "/annotated?user=amy"})
        void anotherLocaleResolverThanThatOfTheStackChangesNothing(String path) {
            TestApp app = start(German.class, ofStack("AnotherLocaleResolver"));
            Answer refused = refused(app, path, "Accept-Language", "de", "Accept", BROWSER);

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Retry-After")).isEqualTo("60");
            assertThat(refused.body()).contains("Zu viele");
        }

        @Test
        void codesThatAreMessagesAreNotShown() {
            TestApp app = start(CodesAsMessages.class);
            assertThat(refused(app, "/plain/x").body())
                    .contains("\"title\":\"Request cannot be satisfied")
                    .doesNotContain("rate-limiter.");
        }

        @ParameterizedTest
        @ValueSource(strings = {"ByConfigurer", "ByFilter", "BySource"})
        void aScriptOfAnAllowedOriginCanReadARefusal(String cors) {
            TestApp app = start(ofStack(cors));
            Answer refused = refused(app, "/plain/x", "Origin", "https://a.example");

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.headers().allValues("Access-Control-Allow-Origin"))
                    .hasSize(1);
            assertThat(refused.header("Access-Control-Expose-Headers")) // one line, for who reads the first
                    .contains("RateLimit", "RateLimit-Policy", "X-RateLimit-Remaining", "Retry-After");
            assertThat(refused(app, "/plain/x").header("Access-Control-Allow-Origin"))
                    .isNull();
        }

        /** The source alone is for Spring Security, which is not there. */
        @ParameterizedTest
        @CsvSource({"ByConfigurer, X-Total", "ByFilter, X-Total", "BySource,"})
        void aScriptOfAnAllowedOriginCanReadWhatIsLeft(String cors, @Nullable String ownHeader) {
            TestApp app = start(ofStack(cors));
            Answer allowed = app.raw("GET", "/plain/x", "Origin", "https://a.example");

            assertThat(allowed.status()).isEqualTo(200);
            assertThat(String.join(",", allowed.headers().allValues("Access-Control-Expose-Headers"))
                            .split(",\\s*"))
                    .containsExactlyInAnyOrderElementsOf(Stream.of(
                                    ownHeader,
                                    "RateLimit",
                                    "RateLimit-Policy",
                                    "X-RateLimit-Limit",
                                    "X-RateLimit-Remaining",
                                    "X-RateLimit-Reset")
                            .filter(Objects::nonNull)
                            .toList());
        }

        @ParameterizedTest
        @ValueSource(strings = {"http://[", "http://a:port", "://", "%zz", "null"})
        void anOriginThatIsNotAUrlFailsNothing(String origin) {
            TestApp app = start();
            int unlimited = app.raw("GET", "/get-only", "Origin", origin).status();
            assertThat(app.raw("GET", "/plain/x", "Origin", origin).status()).isEqualTo(unlimited);
            assertThat(refused(app, "/plain/x", "Origin", origin).status()).isEqualTo(429);
        }

        @Test
        void whatIsNotForAnotherOriginExposesNothing() {
            TestApp app = start();
            assertThat(app.get("/plain/x").header("Access-Control-Expose-Headers"))
                    .isNull();
        }

        @ParameterizedTest
        @ValueSource(strings = {"/plain/x", "/annotated?user=amy"})
        void headersAreExposedOnce(String path) {
            TestApp app = start(ofStack("ByConfigurer"));
            Answer refused = refused(app, path, "Origin", "https://a.example");
            assertThat(String.join(",", refused.headers().allValues("Access-Control-Expose-Headers"))
                            .split(",\\s*"))
                    .doesNotHaveDuplicates();
        }

        @Test
        void aRefusalByAnAnnotationExposesItsHeadersToo() {
            TestApp app = start(ofStack("ByConfigurer"));
            Answer refused = refused(app, "/annotated?user=amy", "Origin", "https://a.example");

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.headers().allValues("Access-Control-Allow-Origin"))
                    .containsExactly("https://a.example");
            assertThat(refused.header("Access-Control-Expose-Headers")).contains("Retry-After");
        }

        @ParameterizedTest
        @ValueSource(strings = {"ByConfigurer", "BySource"})
        void anotherOriginIsRefusedTheSameWayWithoutThem(String cors) {
            TestApp app = start(ofStack(cors));
            for (int i = 0; i < 3; i++) {
                app.get("/plain/x");
            }
            Answer refused = app.raw("GET", "/plain/x", "Origin", "https://evil.example");

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Access-Control-Allow-Origin")).isNull();
        }

        /** Before authentication, and in place of a 401; paths that no controller has, because one would allow any origin. */
        @Test
        void whereSpringSecurityAloneKnowsTheOriginsTheyCanReadARefusalToo() {
            try (TestApp app = TestApp.startSecured(
                    stack,
                    List.of(AtSettableTime.class, ShopController.class, ofStack("BySecurity")),
                    "rate-limiter.routes.early.paths=/own",
                    "rate-limiter.routes.early.key=ip",
                    "rate-limiter.routes.early.max-requests=2",
                    "rate-limiter.routes.late.paths=/users",
                    "rate-limiter.routes.late.max-requests=2")) {
                for (String path : List.of("/own", "/users")) {
                    Answer refused = refused(app, path, "Origin", "https://a.example");
                    assertThat(refused.status()).isEqualTo(429);
                    assertThat(refused.headers().allValues("Access-Control-Allow-Origin"))
                            .as(path)
                            .containsExactly("https://a.example");
                    assertThat(String.join(",", refused.headers().allValues("Access-Control-Expose-Headers"))
                                    .split(",\\s*"))
                            .contains("X-Total", "RateLimit", "Retry-After")
                            .doesNotHaveDuplicates();
                }
                for (String origin : List.of("https://evil.example", "http://[")) {
                    Answer refused = app.raw("GET", "/own", "Origin", origin);
                    assertIsRefusal(refused);
                    assertThat(refused.status()).isEqualTo(429);
                    assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
                    assertThat(refused.header("Access-Control-Allow-Origin")).isNull();
                }
            }
        }

        @Test
        void aRefusalIsObservedUnderTheRoutesPattern() {
            TestApp app = start(Unobserved.class);
            refused(app, "/plain/x");

            await().untilAsserted(() -> assertThat(app.bean(MeterRegistry.class)
                            .find("http.server.requests")
                            .tag("status", "429")
                            .timers())
                    .extracting(OnStack::uri)
                    .containsExactly("/plain/**"));
        }

        private static String uri(Timer timer) {
            return timer.getId().getTag("uri");
        }

        private void assertIsRefusal(Answer refused) {
            assertThat(refused.header("Retry-After")).isEqualTo("60");
            assertThat(refused.header("Cache-Control")).isEqualTo("no-store");
            assertThat(refused.header("RateLimit")).contains(";r=0;t=60");
        }

        /** The call after the two that are admitted. */
        private static Answer refused(TestApp app, String path, String... headers) {
            app.raw("GET", path, headers);
            app.raw("GET", path, headers);
            return app.raw("GET", path, headers);
        }

        private Class<?> ofStack(String configuration) {
            Class<?> holder = stack == Stack.SERVLET ? ServletLooks.class : ReactiveLooks.class;
            return ClassUtils.resolveClassName(holder.getName() + "$" + configuration, null);
        }

        /** One application for each configuration, a window later each time: nothing is used up. */
        private TestApp start(Class<?>... more) {
            TestApp app = apps.computeIfAbsent(List.of(more), this::startNew);
            app.bean(SettableClock.class).advance(Duration.ofMinutes(1));
            return app;
        }

        private TestApp startNew(List<Class<?>> more) {
            List<Class<?>> configurations = new ArrayList<>(List.of(AtSettableTime.class, ShopController.class));
            configurations.addAll(more);
            return TestApp.start(
                    stack,
                    configurations,
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.max-requests=2");
        }
    }
}
