package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.Http.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Requests that wait for quota, keyed by what the client chooses, leave threads of the server to others. */
class WaitingThreadsHttpTest {

    @RestController
    static class Endpoints {

        private static final Limit CODED = Limit.of("coded", Algorithm.SLIDING_WINDOW_LOG, 1, Duration.ofHours(12));

        private final RateLimiter limiter;

        Endpoints(RateLimiter limiter) {
            this.limiter = limiter;
        }

        @RateLimited(
                algorithm = "sliding-window-log",
                maxRequests = "1",
                windowSize = "12h",
                key = "#user",
                maxWait = "24h")
        @GetMapping("/waits")
        String waits(@RequestParam String user) {
            return "ok";
        }

        @GetMapping("/coded")
        String coded(@RequestParam String user) {
            return limiter.acquire(Acquisition.of(CODED, user), Duration.ofHours(24))
                            .allowed()
                    ? "admitted"
                    : "refused";
        }

        @RateLimited(
                algorithm = "sliding-window-log",
                maxRequests = "1",
                windowSize = "12h",
                key = "#user",
                maxWait = "24h")
        @GetMapping("/stage")
        CompletableFuture<String> stage(@RequestParam String user) {
            return CompletableFuture.completedFuture("ok");
        }

        @GetMapping("/callable")
        Callable<String> callable(@RequestParam String user) {
            return () -> coded(user);
        }

        @GetMapping("/other")
        String other() {
            return "ok";
        }
    }

    private final Queue<String> answers = new ConcurrentLinkedQueue<>();

    @Test
    void halfOfTheThreadsWaitUnlessConfigured() {
        try (TestApp app = start("server.tomcat.threads.max=8")) {
            send(app, "/waits", 6);
            send(app, "/coded", 6);
            await().untilAsserted(() -> assertThat(answers).hasSize(8));
            await().untilAsserted(() -> assertThat(waiting(app)).isEqualTo(4));

            assertThat(answers).allMatch(answer -> answer.equals("429") || answer.equals("200 refused"));
            assertThat(app.get("/other").status()).isEqualTo(200);
        }
    }

    @Test
    void asManyWaitAsAreConfigured() {
        try (TestApp app = start("server.tomcat.threads.max=8", "rate-limiter.max-waiting-threads=1")) {
            send(app, "/coded", 3);
            send(app, "/waits", 3);
            await().untilAsserted(() -> assertThat(answers).hasSize(5));
            await().untilAsserted(() -> assertThat(waiting(app)).isEqualTo(1));
        }
    }

    @Test
    void stagesHoldNoThread() {
        try (TestApp app = start("server.tomcat.threads.max=4")) {
            send(app, "/stage", 12);
            await().untilAsserted(() -> assertThat(waiting(app)).isEqualTo(12));

            assertThat(app.get("/other").status()).isEqualTo(200);
        }
    }

    @Test
    void callablesHoldNoThreadOfTheServer() {
        try (TestApp app = start("server.tomcat.threads.max=4", "spring.task.execution.pool.core-size=12")) {
            send(app, "/callable", 12);
            await().untilAsserted(() -> assertThat(waiting(app)).isEqualTo(12));

            assertThat(answers).isEmpty();
            assertThat(app.get("/other").status()).isEqualTo(200);
        }
    }

    /** Before JDK 21 the setting of Spring Boot does nothing, and no thread may wait. */
    @Test
    void virtualThreadsAreMany() {
        boolean virtual = Runtime.version().feature() >= 21;
        try (TestApp app = start("spring.threads.virtual.enabled=true", "rate-limiter.max-waiting-threads=0")) {
            send(app, "/waits", 12);
            await().untilAsserted(() -> {
                assertThat(waiting(app)).isEqualTo(virtual ? 12 : 0);
                assertThat(answers).hasSize(virtual ? 0 : 12);
            });

            assertThat(app.get("/other").status()).isEqualTo(200);
        }
    }

    /** A stop does not wait for those who wait. */
    private static TestApp start(String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("spring.lifecycle.timeout-per-shutdown-phase=100ms");
        return TestApp.start(List.of(Endpoints.class), all.toArray(String[]::new));
    }

    private static long waiting(TestApp app) {
        return app.bean(RateLimiterStack.class).state().waiting();
    }

    /** Sends so many requests of so many users, each of whom has used up the limit. */
    private void send(TestApp app, String path, int requests) {
        for (int i = 0; i < requests; i++) {
            String target = path + "?user=" + i;
            assertThat(app.get(target).status()).isEqualTo(200);
            Thread client = new Thread(() -> {
                Answer answer = app.get(target);
                answers.add(answer.status() == 200 ? "200 " + answer.body() : String.valueOf(answer.status()));
            });
            client.setDaemon(true);
            client.start();
        }
    }
}
