package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.testing.LimitsEndpoint;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Patience;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.TestRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Overrides and the Redis that keeps them. */
class OverridesOnRedisTest {

    private static final String TWO = "{\"maxRequests\": 2, \"for\": \"1h\"}";

    @Test
    void anInstanceThatStartsReadsThemFirst() {
        String prefix = UUID.randomUUID().toString();
        try (OverriddenApp one = start(TestRedis.uri(), prefix)) {
            one.override("api", TWO);
            await().until(() -> {
                try (LogCapture log = LogCapture.start();
                        OverriddenApp third = start(TestRedis.uri(), prefix)) {
                    boolean heldUp = Patience.isConnecting() || Patience.wasHeldUp(log);
                    String policy = third.get("/api/x", "zoe").header("RateLimit-Policy");
                    if (!heldUp) {
                        assertThat(policy).isEqualTo("\"api\";q=2;w=86400");
                    }
                    return !heldUp;
                }
            });
        }
    }

    /** While Redis is away what is known holds, and nothing can be changed. A Redis that comes back empty has none. */
    @Test
    void theyOutliveAnOutageAndGoWithTheMemoryOfRedis() {
        int port = RedisProcess.freePort();
        RedisProcess redis = RedisProcess.startOn(port);
        try (OverriddenApp app = start(redis.uri(), "")) {
            app.override("api", TWO);
            redis.close();
            assertThat(app.override("api", "{\"maxRequests\": 3, \"for\": \"1h\"}")
                            .status())
                    .isEqualTo(503);
            assertThat(app.get("/api/x", "zoe").header("RateLimit-Policy")).isEqualTo("\"api\";q=2;w=86400");

            redis = RedisProcess.startOn(port);
            app.awaitOverride("api", null);
            assertThat(app.get("/api/x", "zoe").header("RateLimit-Policy")).isEqualTo("\"api\";q=5;w=86400");
        } finally {
            redis.close();
        }
    }

    /** A change needs no more luck than a decision. */
    @Test
    void aChangeWaitsForRedisAsLongAsADecisionMay() {
        try (RedisProcess redis = RedisProcess.start();
                OverriddenApp app = start(redis.uri(), "")) {
            redis.signal("STOP");
            CompletableFuture<Answer> change = CompletableFuture.supplyAsync(() -> app.override("api", TWO));
            try {
                await().during(Duration.ofMillis(1_500)).until(() -> !change.isDone());
            } finally {
                redis.signal("CONT");
            }
            assertThat(change).succeedsWithin(Patience.LONGEST).returns(200, Answer::status);
        }
    }

    /** What Redis keeps ends with the last of them. */
    @Test
    void theyLeaveNothingBehind() {
        try (RedisProcess redis = RedisProcess.start();
                OverriddenApp app = start(redis.uri(), "")) {
            app.override("api", "{\"maxRequests\": 2, \"for\": \"1h\"}");
            app.override("bucket", "{\"maxRequests\": 2, \"for\": \"10m\"}");
            assertThat(left(redis)).isBetween(3_500_000L, 3_600_000L);
            app.lift("api");
            assertThat(left(redis)).isBetween(1L, 600_000L);
            app.lift("bucket");
            assertThat(keys(redis)).isZero();
        }
    }

    /** What somebody else has written there changes nothing. */
    @Test
    void aForeignValueIsNoOverride() {
        try (RedisProcess redis = RedisProcess.start();
                OverriddenApp app = start(redis.uri(), "")) {
            redis.ask(commands ->
                    commands.set("rate_limit:overrides", "9999999999999 api many -\n9999999999999 bucket 3 -\nx"));
            app.awaitOverride("bucket", 3L);
            assertThat(app.get("/api/x", "zoe").header("RateLimit-Policy")).isEqualTo("\"api\";q=5;w=86400");
        }
    }

    /** It is reported once, what is known holds, and the next change replaces it. */
    @Test
    void aDamagedValueStopsNoChange() {
        for (String damaged : List.of(
                "99999999999999999999 bucket 3 -",
                "9".repeat(400) + " bucket 3 -",
                "9999999999999 bucket many -",
                "9999999999999 bucket",
                "garbage",
                "\u0000\n\n 1")) {
            try (RedisProcess redis = RedisProcess.start();
                    OverriddenApp app = start(redis.uri(), "");
                    LogCapture log = LogCapture.of("io.ratelimit.RL-554")) {
                redis.ask(commands -> commands.set("rate_limit:overrides", damaged));
                await().untilAsserted(() ->
                        assertThat(log.messages(Level.WARN)).as(damaged).hasSize(1));
                assertThat(app.override("api", TWO).status()).as(damaged).isEqualTo(200);
                assertThat(value(redis)).as(damaged).matches("\\d+ api 2 -");
                assertThat(app.lift("api").status()).as(damaged).isEqualTo(200);
                assertThat(keys(redis)).isZero();
                assertThat(log.messages(Level.WARN)).hasSize(1);
            }
        }
    }

    @Test
    void aKeyOfAnotherTypeStopsNoChange() {
        try (RedisProcess redis = RedisProcess.start();
                OverriddenApp app = start(redis.uri(), "");
                LogCapture log = LogCapture.of("io.ratelimit.RL-554")) {
            app.override("api", TWO);
            redis.ask(commands ->
                    commands.del("rate_limit:overrides") + commands.rpush("rate_limit:overrides", "a list"));
            await().untilAsserted(() -> assertThat(log.messages(Level.WARN)).hasSize(1));
            assertThat(app.override("bucket", TWO).status()).isEqualTo(200);
            assertThat(value(redis)).matches("\\d+ bucket 2 -");
            assertThat(log.messages(Level.WARN)).hasSize(1);
        }
    }

    /** Another version of the application may have begun it, where the limit has no lease. */
    @Test
    void oneThatTheLimitCannotHaveIsNotShownAsInForce() throws IOException {
        try (RedisProcess redis = RedisProcess.start();
                OverriddenApp app = start(redis.uri(), "")) {
            redis.ask(commands -> commands.set("rate_limit:overrides", "9999999999999 api 7 3"));
            app.awaitOverride("api", 7L);
            assertThat(app.get("/api/x", "zoe").header("RateLimit-Policy")).isEqualTo("\"api\";q=5;w=86400");
            JsonNode api = LimitsEndpoint.json(app.app()).at("/limits/0");
            assertThat(api.at("/name").asText()).isEqualTo("api");
            assertThat(api.at("/from").asText()).isEqualTo("configuration");
            assertThat(api.at("/override").isNull()).isTrue();
        }
    }

    @Test
    void noCallFailsWhileTheyChange() throws Exception {
        String prefix = UUID.randomUUID().toString();
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        AtomicBoolean calling = new AtomicBoolean(true);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (OverriddenApp one = start(TestRedis.uri(), prefix);
                OverriddenApp other = start(TestRedis.uri(), prefix)) {
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                RateLimiter limiter = (i % 2 == 0 ? one : other).app().bean(RateLimiter.class);
                Limit limit = one.app().bean(Limits.class).get("api");
                String subject = "caller " + i;
                callers.add(threads.submit(() -> {
                    while (calling.get()) {
                        Decision decision = limiter.acquire(Acquisition.of(limit, subject));
                        assertThat(decision.source()).isEqualTo(Decision.Source.STORE);
                        seen.add(decision.limits().get(0).limit().maxRequests());
                    }
                }));
            }
            for (int numbers = 1; numbers <= 10; numbers++) {
                one.override("api", "{\"maxRequests\": %d000, \"for\": \"1h\"}".formatted(numbers));
            }
            other.awaitOverride("api", 10_000L);
            one.lift("api");
            other.awaitOverride("api", null);
            calling.set(false);
            for (Future<?> caller : callers) {
                caller.get(1, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(seen).contains(5L, 10_000L).allMatch(most -> most == 5 || most % 1_000 == 0);
    }

    private static long left(RedisProcess redis) {
        return redis.ask(commands -> commands.pttl("rate_limit:overrides"));
    }

    private static String value(RedisProcess redis) {
        return redis.ask(commands -> commands.get("rate_limit:overrides"));
    }

    private static long keys(RedisProcess redis) {
        return redis.ask(commands -> commands.exists("rate_limit:overrides"));
    }

    private static OverriddenApp start(String uri, String prefix) {
        return OverriddenApp.onRedis(Stack.SERVLET, uri, prefix, "unrestricted");
    }
}
