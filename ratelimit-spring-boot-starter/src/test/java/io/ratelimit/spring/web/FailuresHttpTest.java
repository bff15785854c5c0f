package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.SettableClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Sinks;

/** Five failed log-ins in 15 minutes, and any number of successful ones. */
class FailuresHttpTest {

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
        private final TestApp app;

        OnStack(Stack stack) {
            this.stack = stack;
            this.app = TestApp.start(
                    stack,
                    List.of(AtSettableTime.class, LogIn.class),
                    "rate-limiter.limits.login.max-requests=5",
                    "rate-limiter.limits.login.window-size=15m",
                    "rate-limiter.routes.login.paths=/login/**",
                    "rate-limiter.routes.login.methods=POST",
                    "rate-limiter.routes.login.limits=login",
                    "rate-limiter.routes.login.key=header:X-User",
                    "rate-limiter.routes.login.count=failures");
        }

        @AfterAll
        void close() {
            app.close();
        }

        @ParameterizedTest
        @ValueSource(strings = {"/login", "/login/throws", "/login/form"})
        void successesAreFreeAndTheSixthFailureIsRefused(String path) {
            for (int i = 1; i <= 5; i++) {
                for (int j = 0; j < 2; j++) {
                    assertThat(logIn(path, path, "right").status()).isLessThan(400);
                    awaitUsed(i - 1, path);
                }
                assertThat(logIn(path, path, "wrong").status()).isNotEqualTo(429);
                awaitUsed(i, path);
            }
            assertThat(logIn(path, path, "right").status()).isEqualTo(429);
            assertThat(logIn(path, path, "wrong").header("Retry-After")).isEqualTo("900");

            app.bean(SettableClock.class).advance(Duration.ofMinutes(15));
            assertThat(logIn(path, path, "right").status()).isLessThan(400);
        }

        @Test
        void fiveAttackersAtOnceCannotGetASixthGuess() {
            LogIn.answers = Sinks.one();
            LogIn.CHECKED.set(0);
            List<CompletableFuture<Answer>> guesses = Stream.generate(() -> CompletableFuture.supplyAsync(
                            () -> logIn("/login/slow", "eve", "wrong"), task -> new Thread(task).start()))
                    .limit(10)
                    .toList();
            await().until(() ->
                    guesses.stream().filter(CompletableFuture::isDone).count() == 5);
            assertThat(logIn("/login/slow", "eve", "wrong").status()).isEqualTo(429);

            LogIn.answers.tryEmitValue("go");

            assertThat(guesses.stream().map(guess -> guess.join().status()))
                    .containsExactlyInAnyOrder(401, 401, 401, 401, 401, 429, 429, 429, 429, 429);
            assertThat(LogIn.CHECKED).hasValue(5);
            assertThat(logIn("/login/slow", "eve", "wrong").status()).isEqualTo(429);
        }

        @Test
        void anAnnotatedMethodCountsErrorsThatItReturns() {
            for (int i = 0; i < 5; i++) {
                assertThat(annotated("right").status()).isEqualTo(200);
                assertThat(annotated("wrong").status()).isEqualTo(401);
            }
            assertThat(annotated("right").status()).isEqualTo(429);
        }

        private Answer annotated(String password) {
            return app.send("POST", "/annotated/login?user=may&password=" + password);
        }

        private Answer logIn(String path, String user, String password) {
            return app.send("POST", path + "?password=" + password, "X-User", user);
        }

        /** A server may end a request when its client has the whole response already. */
        private void awaitUsed(long used, String user) {
            Acquisition one = Acquisition.of(app.bean(Limits.class).get("login"), "header:x-user:" + user);
            await().untilAsserted(() -> assertThat(
                            5 - app.bean(RateLimiter.class).peek(one).remaining())
                    .isEqualTo(used));
        }
        /** Spring Security answers a wrong password itself, and the address is charged for it. */
        @Test
        void wrongPasswordsThatSpringSecurityAnswersCountAndRightOnesAreFree() {
            try (TestApp app = TestApp.startSecured(
                    stack,
                    List.of(AtSettableTime.class, ShopController.class, Secured.by(stack)),
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.max-requests=2",
                    "rate-limiter.routes.plain.key=principal",
                    "rate-limiter.routes.plain.count=failures")) {
                for (int i = 0; i < 4; i++) {
                    await().until(() -> basic(app, "pw").status() == 200);
                }
                assertThat(basic(app, "guess").status()).isEqualTo(401);
                assertThat(basic(app, "guess").status()).isEqualTo(401);
                assertThat(basic(app, "guess").status()).isEqualTo(429);
                await().until(() -> basic(app, "pw").status() == 200);
            }
        }

        private static Answer basic(TestApp app, String password) {
            String credentials =
                    Base64.getEncoder().encodeToString(("alice:" + password).getBytes(StandardCharsets.UTF_8));
            return app.get("/plain/x", "Authorization", "Basic " + credentials);
        }
    }
}
