package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http;
import io.ratelimit.testing.TestRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two instances on one Redis, one of which is killed while it serves requests. */
@Tag("slow")
class KilledInstanceHttpTest {

    private static final String PORT = "port ";

    /** What the instance that is killed runs. */
    public static void main(String[] arguments) {
        List<String> properties = List.of(arguments).subList(1, arguments.length);
        TestApp app = start(Stack.valueOf(arguments[0]), properties.toArray(String[]::new));
        System.out.println("\n" + PORT + app.port());
    }

    @ParameterizedTest
    @EnumSource
    void itsSlotsAreFreeAfterTheWindowAndItsEstimatesStayCharged(Stack stack) throws IOException {
        String[] properties = {
            "spring.data.redis.url=" + TestRedis.uri(),
            "rate-limiter.key-prefix=" + UUID.randomUUID(),
            "rate-limiter.limits.tokens.max-requests=100",
            "rate-limiter.limits.tokens.window-size=1h",
            "rate-limiter.routes.by-header.paths=/header/**",
            "rate-limiter.routes.by-header.limits=tokens",
            "rate-limiter.routes.by-header.key=global",
            "rate-limiter.routes.by-header.cost=20",
            "rate-limiter.routes.by-header.actual-cost=header:X-Tokens",
            "rate-limiter.limits.login.max-requests=100",
            "rate-limiter.limits.login.window-size=1h",
            "rate-limiter.routes.login.paths=/login/**",
            "rate-limiter.routes.login.limits=login",
            "rate-limiter.routes.login.key=global",
            "rate-limiter.routes.login.count=failures",
            "rate-limiter.routes.held.paths=/held/**",
            "rate-limiter.routes.held.limits=held",
            "rate-limiter.routes.held.key=global",
            "rate-limiter.limits.held.use-algo=concurrency",
            "rate-limiter.limits.held.max-requests=2",
            "rate-limiter.limits.held.window-size=20s"
        };
        Process killed = process(stack, properties);
        try (TestApp other = start(stack, properties)) {
            String base = "http://localhost:" + port(killed);
            Http.begin("GET", base + "/header/held?tokens=0");
            Http.begin("POST", base + "/login/slow?password=right");
            await().until(() -> used("tokens", other) == 20 && used("login", other) == 1);
            Http.begin("GET", base + "/held/mono?call=a");
            Http.begin("GET", base + "/held/mono?call=b");
            await().until(() -> used("held", other) == 2); // without a request, which would take a slot
            assertThat(other.get("/held/plain").status()).isEqualTo(429);

            killed.destroyForcibly();

            await().untilAsserted(() ->
                    assertThat(other.get("/held/plain").header("RateLimit")).startsWith("\"held\";r=1;"));
            assertThat(used("tokens", other)).isEqualTo(20);
            assertThat(used("login", other))
                    .as("nobody knows whether it failed")
                    .isEqualTo(1);
        } finally {
            killed.destroyForcibly();
        }
    }

    private static TestApp start(Stack stack, String... properties) {
        return TestApp.start(stack, List.of(HeldCalls.class, SpendingCalls.OnBoth.class, LogIn.class), properties)
                .onRedis();
    }

    private static Process process(Stack stack, String... properties) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                KilledInstanceHttpTest.class.getName(),
                stack.name()));
        command.addAll(List.of(properties));
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

    private static long used(String name, TestApp app) {
        Limit limit = app.bean(Limits.class).get(name);
        return limit.capacity()
                - app.bean(RateLimiter.class)
                        .peek(Acquisition.of(limit, "global"))
                        .remaining();
    }
}
