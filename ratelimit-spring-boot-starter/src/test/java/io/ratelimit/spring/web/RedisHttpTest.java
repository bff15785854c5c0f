package io.ratelimit.spring.web;

import static io.ratelimit.spring.testing.Patience.secondsSince;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.TestRedis;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Two instances of one application on one Redis. */
class RedisHttpTest {

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET, false);
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE, false);
        }
    }

    @Nested
    @Tag("thorough")
    class SecuredServlet extends OnStack {
        SecuredServlet() {
            super(Stack.SERVLET, true);
        }
    }

    @Nested
    @Tag("reactive")
    class SecuredReactive extends OnStack {
        SecuredReactive() {
            super(Stack.REACTIVE, true);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {
        private static final String[] CREDENTIALS = {"Authorization", Secured.basic("alice", "pw")};

        private final Stack stack;
        private final boolean secured;

        OnStack(Stack stack, boolean secured) {
            this.stack = stack;
            this.secured = secured;
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
            long startNanos = System.nanoTime();
            for (int remaining = 4; remaining >= 0; remaining--) {
                Answer allowed = get(remaining % 2 == 0 ? one : other, "/plain/x", "X-User", "alice");
                assertThat(allowed.status()).isEqualTo(200);
                assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"plain\";q=5;w=3600");
                assertThat(allowed.header("RateLimit")).isEqualTo("\"plain\";r=" + remaining + ";t=3600");
            }
            for (TestApp app : List.of(one, other)) {
                Answer refused = get(app, "/plain/x", "X-User", "alice");
                assertThat(refused.status()).isEqualTo(429);
                assertThat(Long.parseLong(refused.header("Retry-After")))
                        .isBetween(3600 - secondsSince(startNanos), 3600L);
                assertThat(refused.header("RateLimit")).isEqualTo("\"plain\";r=0;t=" + refused.header("Retry-After"));
                assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
            }
            assertThat(get(other, "/plain/x", "X-User", "bob").status()).isEqualTo(200);
        }

        @Test
        void aRushOnBothAdmitsExactlyTheLimit() {
            List<CompletableFuture<Integer>> rush = IntStream.range(0, 40)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> get(i % 2 == 0 ? one : other, "/plain/x", "X-User", "rush")
                                    .status()))
                    .toList();

            assertThat(rush.stream().map(CompletableFuture::join).filter(status -> status == 200))
                    .hasSize(5);
        }

        @Test
        void instancesShareTheLimitsOfAnnotations() {
            assertThat(get(one, "/annotated?user=alice").status()).isEqualTo(200);
            assertThat(get(other, "/annotated?user=alice").status()).isEqualTo(200);
            assertThat(get(one, "/annotated?user=alice").status()).isEqualTo(429);
            assertThat(get(other, "/annotated?user=alice").status()).isEqualTo(429);
        }

        @Test
        void severalRoutesAndSubjectsAreOneDecisionHereToo() {
            assertThat(get(one, "/two/narrow", "X-User", "carol").header("RateLimit"))
                    .isEqualTo("\"wide\";r=2;t=3600,\"narrow\";r=0;t=3600");
            assertThat(get(other, "/two/narrow", "X-User", "carol").status()).isEqualTo(429);
            assertThat(get(other, "/two/x", "X-User", "carol").header("RateLimit"))
                    .startsWith("\"wide\";r=1;");
        }

        private TestApp instance(String prefix) {
            String[] properties = {
                "spring.data.redis.url=" + TestRedis.uri(),
                "rate-limiter.key-prefix=" + prefix,
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
                "rate-limiter.routes.narrow.window-size=1h"
            };
            return Secured.start(stack, secured, ShopController.class, properties)
                    .onRedis();
        }

        private Answer get(TestApp app, String path, String... headers) {
            return app.get(
                    path,
                    secured
                            ? Stream.of(headers, CREDENTIALS)
                                    .flatMap(Stream::of)
                                    .toArray(String[]::new)
                            : headers);
        }
    }
}
