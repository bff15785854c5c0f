package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lettuce.core.api.sync.RedisCommands;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.RedisProcess;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The store in {@code /actuator/health}, which never takes the application out of service. */
class HealthHttpTest {

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

    abstract static class OnStack {
        private final Stack stack;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @Test
        void showsTheStore() throws IOException {
            try (TestApp app = start()) {
                JsonNode health = health(app);

                assertThat(health.at("/status").asText()).isEqualTo("UP");
                assertThat(health.at("/components/rateLimiter/status").asText()).isEqualTo("UP");
                assertThat(health.at("/components/rateLimiter/details/store").asText())
                        .isEqualTo("in-memory");
            }
        }

        @Test
        void aRedisThatIsAwayIsShownAndLeavesTheApplicationInService() throws IOException {
            try (TestApp app = start(
                    "spring.data.redis.port=1", "rate-limiter.on-store-failure=closed", "rate-limiter.timeout=20ms")) {
                for (int i = 0; i < 6; i++) {
                    health(app);
                }
                JsonNode health = health(app);

                assertThat(health.at("/status").asText()).isEqualTo("UP");
                assertThat(health.at("/components/rateLimiter/status").asText()).isEqualTo("UNKNOWN");
                assertThat(health.at("/components/rateLimiter/details/store").asText())
                        .isEqualTo("redis");
                assertThat(health.at("/components/rateLimiter/details/breakers").toString())
                        .contains("open");
                assertThat(health.at("/components/rateLimiter/details/reason").asText())
                        .contains("Redis");
            }
        }

        /** It still answers what only reads. The connection on which it refused is replaced, and fails calls meanwhile. */
        @Test
        void aRedisThatAcceptsNoWritesIsShown() throws IOException {
            try (RedisProcess redis = RedisProcess.start();
                    TestApp app =
                            start("spring.data.redis.port=" + redis.port()).onRedis()) {
                assertThat(component(app).at("/status").asText()).isEqualTo("UP");

                redis.ask(server -> server.replicaof("127.0.0.1", 1));
                assertThat(component(app).at("/status").asText()).isEqualTo("UNKNOWN");
                await().untilAsserted(() -> assertThat(
                                component(app).at("/details/reason").asText())
                        .contains("READONLY"));

                redis.ask(RedisCommands::replicaofNoOne);
                await().until(() -> component(app).at("/status").asText().equals("UP"));

                redis.ask(server -> server.configSet("maxmemory", "1"));
                await().untilAsserted(() -> assertThat(
                                component(app).at("/details/reason").asText())
                        .contains("OOM"));
            }
        }

        private static JsonNode component(TestApp app) throws IOException {
            return health(app).at("/components/rateLimiter");
        }

        @Test
        void canBeLeftOut() throws IOException {
            try (TestApp app = start("management.health.ratelimiter.enabled=false")) {
                assertThat(health(app).at("/components").has("rateLimiter")).isFalse();
            }
        }

        private TestApp start(String... properties) {
            return TestApp.start(
                    stack,
                    List.of(),
                    Stream.concat(
                                    Stream.of(
                                            "rate-limiter.max-requests=5",
                                            "management.endpoint.health.show-details=always",
                                            "management.health.redis.enabled=false"),
                                    Stream.of(properties))
                            .toArray(String[]::new));
        }

        private static JsonNode health(TestApp app) throws IOException {
            Answer answer = app.get("/actuator/health");
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
            return new ObjectMapper().readTree(answer.body());
        }
    }
}
