package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.TestRedis;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Two instances of one application on one Redis. */
class RedisHttpTest {

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET);
        }
    }

    @Nested
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {
        private final Stack stack;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        private TestApp one;
        private TestApp other;

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

        @Test
        void instancesShareALimitToTheLastRequest() {
            for (int remaining = 4; remaining >= 0; remaining--) {
                Answer allowed = (remaining % 2 == 0 ? one : other).get("/plain/x", "X-User", "alice");
                assertThat(allowed.status()).isEqualTo(200);
                assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"plain\";q=5;w=3600");
                assertThat(allowed.header("RateLimit")).isEqualTo("\"plain\";r=" + remaining + ";t=3600");
            }
            for (TestApp app : List.of(one, other)) {
                Answer refused = app.get("/plain/x", "X-User", "alice");
                assertThat(refused.status()).isEqualTo(429);
                assertThat(Long.parseLong(refused.header("Retry-After"))).isBetween(3500L, 3600L);
                assertThat(refused.header("RateLimit")).isEqualTo("\"plain\";r=0;t=" + refused.header("Retry-After"));
                assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
            }
            assertThat(other.get("/plain/x", "X-User", "bob").status()).isEqualTo(200);
        }

        @Test
        void aRushOnBothAdmitsExactlyTheLimit() {
            List<CompletableFuture<Integer>> rush = IntStream.range(0, 40)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> (i % 2 == 0 ? one : other)
                            .get("/plain/x", "X-User", "rush")
                            .status()))
                    .toList();

            assertThat(rush.stream().map(CompletableFuture::join).filter(status -> status == 200))
                    .hasSize(5);
        }

        @Test
        void instancesShareTheLimitsOfAnnotations() {
            assertThat(one.get("/annotated?user=alice").status()).isEqualTo(200);
            assertThat(other.get("/annotated?user=alice").status()).isEqualTo(200);
            assertThat(one.get("/annotated?user=alice").status()).isEqualTo(429);
            assertThat(other.get("/annotated?user=alice").status()).isEqualTo(429);
        }

        @Test
        void severalRoutesAndSubjectsAreOneDecisionHereToo() {
            assertThat(one.get("/two/narrow", "X-User", "carol").header("RateLimit"))
                    .isEqualTo("\"wide\";r=2;t=3600,\"narrow\";r=0;t=3600");
            assertThat(other.get("/two/narrow", "X-User", "carol").status()).isEqualTo(429);
            assertThat(other.get("/two/x", "X-User", "carol").header("RateLimit"))
                    .startsWith("\"wide\";r=1;");
        }

        private TestApp instance(String prefix) {
            return TestApp.start(
                    stack,
                    List.of(ShopController.class),
                    "spring.data.redis.url=" + TestRedis.uri(),
                    "rate-limiter.key-prefix=" + prefix,
                    "rate-limiter.timeout=5s",
                    "rate-limiter.key=header:X-User",
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.max-requests=5",
                    "rate-limiter.routes.plain.window-size=1h",
                    "rate-limiter.routes.wide.paths=/two/**",
                    "rate-limiter.routes.wide.max-requests=3",
                    "rate-limiter.routes.wide.window-size=1h",
                    "rate-limiter.routes.wide.key=global",
                    "rate-limiter.routes.narrow.paths=/two/narrow",
                    "rate-limiter.routes.narrow.max-requests=1",
                    "rate-limiter.routes.narrow.window-size=1h");
        }
    }
}
