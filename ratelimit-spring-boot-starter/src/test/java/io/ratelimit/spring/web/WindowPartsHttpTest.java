package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.TestRedis;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A counter with a window in parts that two instances share on one Redis, or one counts in memory. */
class WindowPartsHttpTest {

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

        private final Stack stack;
        private TestApp one;
        private TestApp other;
        private TestApp inMemory;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @BeforeAll
        void start() {
            String prefix = UUID.randomUUID().toString();
            one = instance("spring.data.redis.url=" + TestRedis.uri(), "rate-limiter.key-prefix=" + prefix)
                    .onRedis();
            other = instance("spring.data.redis.url=" + TestRedis.uri(), "rate-limiter.key-prefix=" + prefix)
                    .onRedis();
            inMemory = instance("rate-limiter.store=in-memory");
        }

        @AfterAll
        void stop() {
            Stream.of(one, other, inMemory).forEach(TestApp::close);
        }

        @Test
        void instancesShareTheParts() {
            isUsedUp(one, other);
        }

        @Test
        void memoryCountsInPartsAlike() {
            isUsedUp(inMemory, inMemory);
        }

        /** Without parts the wait would be anything up to two hours. */
        private void isUsedUp(TestApp first, TestApp second) {
            assertThat(first.get("/plain/x").status()).isEqualTo(200);
            Answer allowed = second.get("/plain/x");
            Answer refused = first.get("/plain/x");

            assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"hourly\";q=2;w=3600");
            assertThat(allowed.header("RateLimit")).startsWith("\"hourly\";r=0;t=");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(Long.parseLong(refused.header("Retry-After"))).isBetween(3_480L, 3_601L);
            assertThat(first.get("/actuator/ratelimits").body()).contains("\"windowSize\":\"PT1H/60\"");
        }

        private TestApp instance(String... store) {
            String[] limit = {
                "management.endpoints.web.exposure.include=ratelimits",
                "rate-limiter.limits.hourly.use-algo=sliding-window-counter",
                "rate-limiter.limits.hourly.max-requests=2",
                "rate-limiter.limits.hourly.window-size=1h",
                "rate-limiter.limits.hourly.buckets=60",
                "rate-limiter.routes.plain.paths=/plain/**",
                "rate-limiter.routes.plain.limits=hourly",
                "rate-limiter.routes.plain.key=global"
            };
            return TestApp.start(
                    stack,
                    List.of(ShopController.class),
                    Stream.of(limit, store).flatMap(Stream::of).toArray(String[]::new));
        }
    }
}
