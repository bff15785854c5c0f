package io.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.internal.operate.StoreHealth;
import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.TestRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Two instances in processes of their own, on one Redis. One is killed while it serves a request of each kind: nobody
 * settles those or frees their slots.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KilledInstanceTest {

    private static final String PORT = "port ";

    private final List<String> properties = List.of(
            "--server.port=0",
            "--spring.main.banner-mode=off",
            "--spring.data.redis.url=" + TestRedis.uri(),
            "--server.shutdown=immediate",
            "--rate-limiter.timeout=15s",
            "--rate-limiter.on-store-failure=closed",
            "--rate-limiter.key-prefix=" + UUID.randomUUID(),
            "--rate-limiter.routes.chat.paths=/chat,/chat/held",
            "--rate-limiter.routes.chat.window-size=1h",
            "--rate-limiter.routes.login.paths=/login,/login/held",
            "--rate-limiter.routes.login.max-requests=100",
            "--rate-limiter.routes.devices.window-size=300d",
            "--rate-limiter.routes.devices.paths=/sync,/sync/held",
            "--rate-limiter.routes.reports.paths=/reports,/reports/held",
            "--rate-limiter.routes.short.paths=/short/held",
            "--rate-limiter.routes.short.key=header:X-User",
            "--rate-limiter.routes.short.use-algo=concurrency",
            "--rate-limiter.routes.short.max-requests=2",
            "--rate-limiter.routes.short.window-size=20s");

    private ConfigurableApplicationContext other;
    private boolean shortSlotIsTaken;

    /** Endpoints of the sample's routes that never answer. */
    @RestController
    static class Held {

        @RequestMapping({"/chat/held", "/login/held", "/sync/held", "/reports/held", "/short/held"})
        CompletableFuture<String> hold() {
            return new CompletableFuture<>();
        }
    }

    /** What the instance that is killed runs. */
    public static void main(String[] arguments) {
        String port = start(List.of(arguments)).getEnvironment().getProperty("local.server.port");
        System.out.println("\n" + PORT + port);
    }

    @BeforeAll
    void killOneOfTwoInTheMiddleOfItsRequests() throws IOException {
        other = start(properties);
        Process killed = process(properties);
        try {
            String base = "http://localhost:" + port(killed);
            // where a start takes long, an instance goes on without Redis at first, and refuses what it cannot decide
            await().until(() ->
                    new StoreHealth(other.getBean(RateLimiter.class)).outage().isEmpty());
            await().until(() -> guess(base) == 401);
            for (int i = 1; i < 5; i++) {
                assertThat(guess(base)).isEqualTo(401);
            }
            Http.begin("GET", base + "/chat/held", "X-User", "alice");
            Http.begin("POST", base + "/login/held?user=alice");
            Http.begin("GET", base + "/sync/held", "X-User", "alice", "X-Device", "phone");
            Http.begin("GET", base + "/short/held", "X-User", "alice");
            Http.begin("GET", base + "/reports/held", "X-User", "alice");
            Http.begin("GET", base + "/reports/held", "X-User", "alice");
            await().until(() -> {
                shortSlotIsTaken |= used("short", "header:x-user:alice") == 1;
                return used("chat", "header:x-user:alice") == 20
                        && used("login", "param:user:alice") == 1
                        && used("devices", "header:x-user:alice") == 1
                        && used("reports", "header:x-user:alice") == 2 // without a request, which would take a slot
                        && logIn("mallory").status() == 429;
            });
        } finally {
            killed.destroyForcibly(); // SIGKILL
        }
    }

    @AfterAll
    void stop() {
        other.close();
    }

    @Test
    void anEstimateThatNobodySettlesStaysCharged() {
        assertThat(get("/chat?words=0").header("X-RateLimit-Remaining")).isEqualTo("60");
    }

    @Test
    void anAttemptOfWhichNobodyKnowsTheOutcomeCountsAsAFailure() {
        assertThat(used("login", "param:user:alice")).isEqualTo(1);
    }

    @Test
    void aDeviceThatCalledTheOneIsKnownToTheOther() {
        for (String device : new String[] {"tablet", "laptop", "phone"}) {
            assertThat(get("/sync", "X-Device", device).status()).isEqualTo(200);
        }
        assertThat(get("/sync", "X-Device", "tv").status()).isEqualTo(429);
    }

    @Test
    void slotsThatNobodyFreesStayTaken() {
        assertThat(get("/reports").status()).isEqualTo(429);
    }

    @Tag("slow")
    @Test
    void slotsAreFreeAfterTheWindow() {
        assertThat(shortSlotIsTaken).isTrue();
        await().until(() -> used("short", "header:x-user:alice") == 0);
    }

    @Test
    void aBanOfTheOneHoldsAtTheOther() {
        Answer banned = logIn("mallory");
        assertThat(banned.status()).isEqualTo(429);
        assertThat(Long.parseLong(banned.header("Retry-After"))).isBetween(600L, 900L);
        assertThat(logIn("bob").status()).isEqualTo(200);
    }

    private static int guess(String base) {
        return Http.send("POST", base + "/login?user=mallory&password=guess").status();
    }

    private Answer logIn(String user) {
        return Http.send("POST", url("/login?password=secret&user=" + user));
    }

    /** Of {@code limit}, as the other instance sees it. */
    private long used(String limit, String subject) {
        return new LimitStates(url(""), subject).used(limit);
    }

    private Answer get(String path, String... headers) {
        String[] withUser =
                Stream.concat(Stream.of("X-User", "alice"), Stream.of(headers)).toArray(String[]::new);
        return Http.send("GET", url(path), withUser);
    }

    private String url(String path) {
        return "http://localhost:" + other.getEnvironment().getProperty("local.server.port") + path;
    }

    private static ConfigurableApplicationContext start(List<String> properties) {
        return new SpringApplicationBuilder(SampleApplication.class, Held.class).run(properties.toArray(String[]::new));
    }

    private static Process process(List<String> properties) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                KilledInstanceTest.class.getName()));
        command.addAll(properties);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static String port(Process process) throws IOException {
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(PORT)) {
                return line.substring(PORT.length());
            }
        }
        throw new IOException("the instance ended before it was ready");
    }
}
