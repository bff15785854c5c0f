package io.ratelimit.spring.web;

import static io.ratelimit.spring.testing.Patience.secondsSince;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.core.instrument.MeterRegistry;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.TestRedis;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Three failed log-ins ban for an hour, and two refused ones where all count, on both instances of one Redis. */
class BansHttpTest {

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
        private static final Duration HOUR = Duration.ofHours(1);

        private final Stack stack;
        private TestApp one;
        private TestApp other;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @BeforeAll
        void start() {
            String prefix = UUID.randomUUID().toString();
            one = instance(prefix);
            other = instance(prefix);
        }

        @AfterAll
        void stop() {
            one.close();
            other.close();
        }

        private TestApp instance(String prefix) {
            return TestApp.start(
                            stack,
                            List.of(LogIn.class),
                            "spring.data.redis.url=" + TestRedis.uri(),
                            "management.endpoints.web.exposure.include=ratelimits",
                            "rate-limiter.key-prefix=" + prefix,
                            "rate-limiter.key=header:X-User",
                            "rate-limiter.limits.login.max-requests=100",
                            "rate-limiter.limits.login.window-size=15m",
                            "rate-limiter.limits.login.ban.after=3",
                            "rate-limiter.limits.login.ban.within=10m",
                            "rate-limiter.limits.login.ban.for=1h",
                            "rate-limiter.routes.login.paths=/login",
                            "rate-limiter.routes.login.limits=login",
                            "rate-limiter.routes.login.count=failures",
                            "rate-limiter.routes.form.paths=/login/form",
                            "rate-limiter.routes.form.max-requests=1",
                            "rate-limiter.routes.form.window-size=1h",
                            "rate-limiter.routes.form.ban.after=2",
                            "rate-limiter.routes.form.ban.within=10m",
                            "rate-limiter.routes.form.ban.for=2h")
                    .onRedis();
        }

        @Test
        void failuresOnAnyInstanceBanOnAll() {
            long startNanos = System.nanoTime();
            for (int i = 0; i < 9; i++) {
                assertThat(logIn(one, "eve", "right").status()).isEqualTo(200);
            }
            assertThat(logIn(one, "eve", "wrong").status()).isEqualTo(401);
            assertThat(logIn(other, "eve", "wrong").status()).isEqualTo(401);
            assertThat(logIn(other, "eve", "right").status()).isEqualTo(200);
            assertThat(logIn(one, "eve", "wrong").status()).isEqualTo(401);

            await().until(() -> logIn(other, "eve", "right").status() == 429);
            Answer banned = logIn(one, "eve", "right");
            assertThat(banned.status()).isEqualTo(429);
            assertThat(Long.parseLong(banned.header("Retry-After")))
                    .isBetween(3_600 - secondsSince(startNanos), 3_600L);
            assertThat(banned.header("RateLimit")).startsWith("\"login\";r=0;");
            assertThat(logIn(one, "bob", "right").status()).isEqualTo(200);
            assertThat(one.bean(MeterRegistry.class)
                            .get("rate.limiter.banned")
                            .tag("limit", "login")
                            .counter()
                            .count())
                    .isPositive();

            one.bean(RateLimiter.class).unban(one.bean(Limits.class).get("login"), "header:x-user:eve");

            await().until(() -> logIn(other, "eve", "right").status() == 200);
        }

        @Test
        void refusalsByALimitOfARouteBan() {
            assertThat(form(one).status()).isEqualTo(302);
            assertThat(Long.parseLong(form(one).header("Retry-After"))).isLessThanOrEqualTo(3_600);

            assertThat(Long.parseLong(form(other).header("Retry-After"))).isGreaterThan(7_000);
            assertThat(Long.parseLong(form(one).header("Retry-After"))).isGreaterThan(7_000);
        }

        private static Answer form(TestApp instance) {
            return instance.send("POST", "/login/form?password=right", "X-User", "eve");
        }

        @Test
        void theEndpointSaysUntilWhen() throws IOException {
            Instant earliest = Instant.now().plus(HOUR);
            one.bean(RateLimiter.class).ban(one.bean(Limits.class).get("login"), "header:x-user:mal");
            Instant latest = Instant.now().plus(HOUR);

            JsonNode state = limit("login", json("?subject=header:x-user:mal"));
            JsonNode explained = json("?method=POST&path=/login&header=X-User:mal");
            JsonNode listed = json("").path("limits");

            assertThat(Instant.parse(state.path("bannedUntil").asText()))
                    .isBetween(earliest.minusSeconds(60), latest.plusSeconds(60));
            assertThat(explained.at("/refusedBy/0").asText()).isEqualTo("login");
            assertThat(explained.at("/routes/0/limits/0/bannedUntil").asText())
                    .isEqualTo(state.path("bannedUntil").asText());
            assertThat(limit("login", json("?subject=header:x-user:bob"))
                            .path("bannedUntil")
                            .isNull())
                    .isTrue();
            assertThat(listed.findValuesAsText("name")).containsExactlyInAnyOrder("login", "form");
        }

        private JsonNode json(String query) throws IOException {
            return new ObjectMapper()
                    .readTree(other.get("/actuator/ratelimits" + query).body());
        }

        private static JsonNode limit(String name, JsonNode states) {
            for (JsonNode state : states) {
                if (state.path("limit").asText().equals(name)) {
                    return state;
                }
            }
            throw new AssertionError(name + " is not in " + states);
        }

        private static Answer logIn(TestApp instance, String user, String password) {
            return instance.send("POST", "/login?password=" + password, "X-User", user);
        }
    }
}
