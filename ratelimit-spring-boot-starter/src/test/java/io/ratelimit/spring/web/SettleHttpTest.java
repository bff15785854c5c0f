package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.micrometer.core.instrument.MeterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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

/** Of 100 tokens an hour, a request is charged 20 at first, and what it cost when its response has ended. */
class SettleHttpTest {

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
        final TestApp app;

        OnStack(Stack stack) {
            this.app = TestApp.start(
                    stack,
                    List.of(AtSettableTime.class, SpendingCalls.OnBoth.class, SpendingCalls.by(stack)),
                    "rate-limiter.limits.tokens.max-requests=100",
                    "rate-limiter.limits.tokens.window-size=1h",
                    "rate-limiter.routes.by-header.paths=/header/**",
                    "rate-limiter.routes.by-header.limits=tokens",
                    "rate-limiter.routes.by-header.key=header:X-User",
                    "rate-limiter.routes.by-header.cost=20",
                    "rate-limiter.routes.by-header.actual-cost=header:X-Tokens",
                    "rate-limiter.routes.by-attribute.paths=/attribute/**",
                    "rate-limiter.routes.by-attribute.limits=tokens",
                    "rate-limiter.routes.by-attribute.key=header:X-User",
                    "rate-limiter.routes.by-attribute.cost=20",
                    "rate-limiter.routes.by-attribute.actual-cost=#request.attribute('tokens')");
        }

        @AfterAll
        void close() {
            app.close();
        }

        @Test
        void chargesWhatTheHeaderOfTheResponseSays() {
            assertThat(get("/header?tokens=5", "ann").header("RateLimit")).contains(";r=80;");
            awaitUsed(5, "ann");
            get("/header?tokens=33", "ann");
            awaitUsed(38, "ann");
            get("/header?tokens=0", "ann");
            awaitUsed(38, "ann");
            get("/header?tokens=0.2", "ann");
            awaitUsed(39, "ann");
        }

        @Test
        void chargesWhatTheRequestsAttributeSays() {
            get("/attribute?tokens=33", "att");
            awaitUsed(33, "att");
        }

        @Test
        void whatCostMoreIsChargedEvenIfItDoesNotFit() {
            get("/header?tokens=150", "deb");
            awaitUsed(100, "deb");
            assertThat(get("/header?tokens=0", "deb").status()).isEqualTo(429);
        }

        @Test
        void fiveAtATimeOf100TokensUse165AndThenAreRefused() {
            SpendingCalls.held = Sinks.one();
            List<CompletableFuture<Answer>> five = Stream.generate(() -> begin("/header/held?tokens=33", "lit"))
                    .limit(5)
                    .toList();
            awaitUsed(100, "lit");
            assertThat(get("/header?tokens=1", "lit").status()).isEqualTo(429);

            SpendingCalls.held.tryEmitValue("done");

            assertThat(five)
                    .allSatisfy(answer -> assertThat(answer.join().status()).isEqualTo(200));
            await().until(() -> peek(1, "lit").toMinutes() >= 59);
            assertThat(get("/header?tokens=1", "lit").status()).isEqualTo(429);
        }

        @Test
        void aStreamIsSettledAtItsEnd() {
            SpendingCalls.held = Sinks.one();
            CompletableFuture<Answer> stream = begin("/attribute/stream", "sue");
            awaitUsed(20, "sue");

            SpendingCalls.held.tryEmitValue("done");

            assertThat(stream.join().body()).isEqualTo("begundone");
            awaitUsed(33, "sue");
        }

        @Test
        void aStreamWhoseClientLeavesIsSettledAtWhatItCostSoFar() throws IOException {
            leave("/attribute/ticks?tokens=7", "leo");
            awaitUsed(7, "leo");
            leave("/annotated/ticks?user=lea&tokens=7", "lea");
            awaitUsed("value:lea", 7);
        }

        @Test
        void aStreamWhoseClientLeavesKeepsItsEstimateIfItHasCostNothingSoFar() throws IOException {
            double before = unresolved();
            leave("/attribute/ticks?tokens=0", "zoe");
            leave("/annotated/ticks?user=zac&tokens=0", "zac");
            await().atMost(Duration.ofMinutes(2)).until(() -> unresolved() == before + 2);
            assertThat(used("zoe")).isEqualTo(20);
            assertThat(usedBy("value:zac")).isEqualTo(20);
        }

        @Test
        void aStreamThatBreaksOffKeepsItsEstimateUnlessItHasCostSomething() throws IOException {
            double before = unresolved();
            readAll("/attribute/breaks?tokens=0", "bob");
            await().until(() -> unresolved() == before + 1);
            assertThat(used("bob")).isEqualTo(20);
            readAll("/attribute/breaks?tokens=7", "bo");
            awaitUsed(7, "bo");
        }

        @Test
        void aWholeStreamOfEventsThatCostNothingWarnsOnce() {
            try (LogCapture log = LogCapture.start()) {
                get("/attribute/events", "sse");
                get("/attribute/events", "sse");
                awaitUsed(0, "sse");
                assertThat(log.messages(Level.WARN))
                        .containsExactly(
                                "RL-459: rate-limiter.routes.by-attribute.actual-cost: actual cost '#request.attribute('tokens')'"
                                        + " of a whole stream is 0, and its estimate was 20: does its last element say what was used?");
            }
        }

        @Test
        void aFailedRequestKeepsItsEstimateUnlessItSaysWhatItCost() {
            get("/header?status=500", "flo");
            get("/header/fails", "flo");
            assertThat(used("flo")).isEqualTo(40);
            get("/header?status=500&tokens=3", "flo");
            awaitUsed(43, "flo");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "/header",
                    "/header?tokens=-1",
                    "/header?tokens=many",
                    "/header?tokens=NaN",
                    "/header?tokens=1e400"
                })
        void withoutAValidCostTheEstimateStaysAndIsCounted(String path) {
            double before = unresolved();

            assertThat(get(path, path).status()).isEqualTo(200);

            await().until(() -> unresolved() == before + 1);
            assertThat(used(path)).isEqualTo(20);
        }

        @Test
        void anInvalidCostWarnsOnceAndNotOfTheSubject() {
            try (LogCapture log = LogCapture.start()) {
                double before = unresolved();
                get("/attribute?tokens=secret", "eve");
                get("/attribute?tokens=secret", "eve");
                await().until(() -> unresolved() == before + 2);
                assertThat(log.messages(Level.WARN))
                        .containsExactly(
                                "RL-455: rate-limiter.routes.by-attribute.actual-cost: the estimate stays charged, because actual cost"
                                        + " '#request.attribute('tokens')' is not a number");
            }
        }

        @Test
        void anAnnotatedMethodIsChargedByItsResult() {
            assertThat(get("/annotated/text?user=may&length=33", "may").status())
                    .isEqualTo(200);
            assertThat(get("/annotated/text?user=may&length=60", "may").header("RateLimit"))
                    .contains(";r=47;");
            assertThat(get("/annotated/text?user=may&length=1", "may").status()).isEqualTo(429);
        }

        private void leave(String path, String user) throws IOException {
            try (Socket socket = sent(path, user)) {
                assertThat(socket.getInputStream().read()).isPositive();
            }
        }

        private void readAll(String path, String user) throws IOException {
            try (Socket socket = sent(path, user)) {
                assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
            }
        }

        private Socket sent(String path, String user) throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), app.port());
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nX-User: " + user
                                    + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.ISO_8859_1));
            return socket;
        }

        private Answer get(String path, String user) {
            return app.get(path, "X-User", user);
        }

        private CompletableFuture<Answer> begin(String path, String user) {
            return CompletableFuture.supplyAsync(() -> get(path, user), task -> new Thread(task).start());
        }

        final double unresolved() {
            return app
                    .bean(MeterRegistry.class)
                    .find("rate.limiter.unresolved")
                    .tag("reason", "actual-cost")
                    .counters()
                    .stream()
                    .mapToDouble(counter -> counter.count())
                    .sum();
        }

        private Duration peek(long cost, String user) {
            Limit tokens = app.bean(Limits.class).get("tokens");
            return app.bean(RateLimiter.class)
                    .peek(Acquisition.of(tokens, "header:x-user:" + user, cost))
                    .retryAfter();
        }

        final long used(String user) {
            return usedBy("header:x-user:" + user);
        }

        private long usedBy(String subject) {
            Limit tokens = app.bean(Limits.class).get("tokens");
            return 100
                    - app.bean(RateLimiter.class)
                            .peek(Acquisition.of(tokens, subject))
                            .remaining();
        }

        /**
         * A server may end a request when its client has the whole response already, and Tomcat may learn that a client
         * has left only when the asynchronous request is over, after 30 seconds.
         */
        private void awaitUsed(long used, String user) {
            awaitUsed("header:x-user:" + user, used);
        }

        private void awaitUsed(String subject, long used) {
            await().atMost(Duration.ofMinutes(2))
                    .untilAsserted(() -> assertThat(usedBy(subject)).isEqualTo(used));
        }
    }
}
