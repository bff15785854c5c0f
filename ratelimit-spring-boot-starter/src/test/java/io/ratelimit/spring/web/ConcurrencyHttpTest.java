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
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A limit of concurrency counts requests until their responses end. */
class ConcurrencyHttpTest {

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
        private final TestApp app;

        OnStack(Stack stack) {
            this.app = TestApp.start(
                    stack,
                    List.of(AtSettableTime.class, HeldCalls.class),
                    "rate-limiter.limits.minute.max-requests=3",
                    "rate-limiter.limits.two-at-a-time.use-algo=concurrency",
                    "rate-limiter.limits.two-at-a-time.max-requests=2",
                    "rate-limiter.limits.two-at-a-time.window-size=10m",
                    "rate-limiter.routes.held.paths=/held/**",
                    "rate-limiter.routes.held.key=header:X-User",
                    "rate-limiter.routes.held.use-algo=concurrency",
                    "rate-limiter.routes.held.max-requests=2",
                    "rate-limiter.routes.held.window-size=10m",
                    "rate-limiter.routes.beside.paths=/beside/**",
                    "rate-limiter.routes.beside.key=header:X-User",
                    "rate-limiter.routes.beside.limits=minute,two-at-a-time");
        }

        @AfterAll
        void close() {
            app.close();
        }

        @Test
        void admitsTwoAtATimeAndTheNextWhenOneEnds() {
            CompletableFuture<Answer> first = begin("/held/mono?call=a1", "ann");
            CompletableFuture<Answer> second = begin("/held/mono?call=a2", "ann");
            awaitInFlight("a1", "a2");

            Answer refused = get("/held/plain", "ann");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("RateLimit-Policy")).isEqualTo("\"held\";q=2;qu=\"concurrent-requests\"");
            assertThat(refused.header("RateLimit")).isEqualTo("\"held\";r=0;t=1");
            assertThat(refused.header("Retry-After")).isEqualTo("1");
            assertThat(get("/held/plain", "ben").status()).isEqualTo(200);

            calls().finish("a1");
            assertThat(first.join().status()).isEqualTo(200);
            awaitAdmitted("ann");
            calls().finish("a2");
            assertThat(second.join().body()).isEqualTo("done");
        }

        @Test
        void aStreamIsInFlightUntilItsLastElement() {
            CompletableFuture<Answer> first = begin("/held/stream?call=s1", "sue");
            CompletableFuture<Answer> second = begin("/held/stream?call=s2", "sue");
            awaitInFlight("s1", "s2");
            assertThat(get("/held/plain", "sue").status()).isEqualTo(429);

            calls().finish("s1");
            calls().finish("s2");

            assertThat(first.join().body()).isEqualTo("begundone");
            assertThat(second.join().body()).isEqualTo("begundone");
            awaitAllFree("sue");
        }

        @ParameterizedTest
        @ValueSource(strings = {"fails", "fails-later", "nowhere"})
        void whatFailsEndsToo(String path) {
            for (int i = 0; i < 3; i++) {
                await().until(() -> get("/held/" + path, path).status() != 429);
            }
            awaitAllFree(path);
        }

        @Test
        void aClientThatLeavesEndsItsRequest() throws IOException {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), app.port())) {
                socket.getOutputStream()
                        .write("GET /held/ticks?call=t1 HTTP/1.1\r\nHost: localhost\r\nX-User: leo\r\n\r\n"
                                .getBytes(StandardCharsets.ISO_8859_1));
                awaitInFlight("t1");
                assertThat(socket.getInputStream().read()).isPositive();
                assertThat(get("/held/plain", "leo").header("X-RateLimit-Remaining"))
                        .isEqualTo("0");
            }
            awaitAllFree("leo");
        }

        @Test
        void whatNobodyEndsIsFreeAfterTheWindow() {
            CompletableFuture<Answer> first = begin("/held/mono?call=w1", "wim");
            CompletableFuture<Answer> second = begin("/held/mono?call=w2", "wim");
            awaitInFlight("w1", "w2");
            assertThat(get("/held/plain", "wim").status()).isEqualTo(429);

            app.bean(SettableClock.class).advance(Duration.ofMinutes(10));

            awaitAllFree("wim");
            calls().finish("w1");
            calls().finish("w2");
            first.join();
            second.join();
            awaitAllFree("wim");
        }

        @Test
        void whatItRefusesIsNotChargedToALimitBesideIt() {
            CompletableFuture<Answer> first = begin("/beside/mono?call=b1", "bea");
            CompletableFuture<Answer> second = begin("/beside/mono?call=b2", "bea");
            awaitInFlight("b1", "b2");

            Answer refused = get("/beside/mono?call=b3", "bea");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.body()).contains("\"violated-policies\":[\"two-at-a-time\"]");
            assertThat(refused.header("RateLimit")).contains("\"minute\";r=1;");

            calls().finish("b1");
            calls().finish("b2");
            first.join();
            second.join();
            awaitBothFree("two-at-a-time", "bea");
            assertThat(get("/beside/nowhere", "bea").status()).isEqualTo(404);
            assertThat(get("/beside/nowhere", "bea").body()).contains("\"violated-policies\":[\"minute\"]");
        }

        @Test
        void anAnnotatedMethodEndsWithItsResult() {
            CompletableFuture<Answer> first = begin("/annotated/held?user=amy&call=m1", "amy");
            awaitInFlight("m1");
            assertThat(get("/annotated/held?user=amy&call=m2", "amy").status()).isEqualTo(429);

            calls().finish("m1");

            assertThat(first.join().header("RateLimit-Policy"))
                    .isEqualTo("\"one-at-a-time\";q=1;qu=\"concurrent-requests\"");
            assertThat(get("/annotated/held?user=amy&call=m1", "amy").status()).isEqualTo(200);
        }

        private HeldCalls calls() {
            return app.bean(HeldCalls.class);
        }

        private Answer get(String path, String user) {
            return app.get(path, "X-User", user);
        }

        private CompletableFuture<Answer> begin(String path, String user) {
            return CompletableFuture.supplyAsync(() -> get(path, user), task -> new Thread(task).start());
        }

        private void awaitInFlight(String... calls) {
            await().until(() -> List.of(calls).stream().allMatch(calls()::isInFlight));
        }

        /** A server may end a request when its client has the whole response already. */
        private void awaitAdmitted(String user) {
            await().until(() -> get("/held/plain", user).status() == 200);
        }

        /** The same, without a request. */
        private void awaitBothFree(String limit, String user) {
            Acquisition two = Acquisition.of(app.bean(Limits.class).get(limit), "header:x-user:" + user, 2);
            await().until(() -> app.bean(RateLimiter.class).peek(two).allowed());
        }

        /** Tomcat may learn that a client has left only when the asynchronous request is over, after 30 seconds. */
        private void awaitAllFree(String user) {
            await().atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> "1".equals(get("/held/plain", user).header("X-RateLimit-Remaining")));
        }
    }
}
