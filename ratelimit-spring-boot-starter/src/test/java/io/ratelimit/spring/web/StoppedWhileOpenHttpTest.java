package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.TestRedis;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Requests that are open when the application stops: the other instances get their slots, and nobody is banned for it. */
class StoppedWhileOpenHttpTest {

    private final String prefix = UUID.randomUUID().toString();

    @RestController
    static class Endless {

        @GetMapping("/routed")
        CompletableFuture<String> routed() {
            return new CompletableFuture<>();
        }

        @RateLimited(value = "annotated", key = "global")
        @GetMapping("/annotated")
        CompletableFuture<String> annotated() {
            return new CompletableFuture<>();
        }

        @GetMapping("/failing")
        CompletableFuture<String> failing() {
            return new CompletableFuture<>();
        }

        @GetMapping(value = "/streaming", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> streaming() {
            return Flux.concat(Mono.just("first"), Mono.never());
        }

        @GetMapping("/blocking")
        String blocking() throws InterruptedException {
            new CountDownLatch(1).await();
            return "never";
        }
    }

    @ParameterizedTest
    @EnumSource
    void theirSlotsAreFree(Stack stack) {
        try (TestApp staying = start(stack).onRedis()) {
            try (TestApp stopping = start(stack).onRedis()) {
                CompletableFuture.runAsync(() -> stopping.get("/routed"));
                CompletableFuture.runAsync(() -> stopping.get("/annotated"));
                await().until(() -> remaining(staying, "routed") == 0 && remaining(staying, "annotated") == 0);
            }

            await().untilAsserted(() -> {
                assertThat(remaining(staying, "routed")).isEqualTo(1);
                assertThat(remaining(staying, "annotated")).isEqualTo(1);
            });
        }
    }

    @Test
    void aHandlerThatIsInterruptedDoesNotBan() {
        doesNotBan(Stack.SERVLET, "/blocking");
    }

    @ParameterizedTest
    @EnumSource
    void aResponseThatIsBrokenOffDoesNotBan(Stack stack) {
        doesNotBan(stack, "/failing");
    }

    @ParameterizedTest
    @EnumSource
    void aStreamThatIsBrokenOffStaysCharged(Stack stack) {
        doesNotBan(stack, "/streaming");
    }

    private void doesNotBan(Stack stack, String path) {
        try (TestApp staying = start(stack).onRedis()) {
            try (TestApp stopping = start(stack).onRedis()) {
                CompletableFuture.runAsync(() -> stopping.get(path));
                await().until(() -> remaining(staying, "failures") == 8);
            }

            assertThat(remaining(staying, "failures")).isEqualTo(8); // 0 for who is banned
        }
    }

    private TestApp start(Stack stack) {
        return TestApp.start(
                stack,
                List.of(Endless.class),
                "spring.data.redis.url=" + TestRedis.uri(),
                "rate-limiter.key-prefix=" + prefix,
                "rate-limiter.limits.routed.use-algo=concurrency",
                "rate-limiter.limits.routed.max-requests=1",
                "rate-limiter.limits.routed.window-size=1h",
                "rate-limiter.limits.annotated.use-algo=concurrency",
                "rate-limiter.limits.annotated.max-requests=1",
                "rate-limiter.limits.annotated.window-size=1h",
                "rate-limiter.routes.open.paths=/routed",
                "rate-limiter.routes.open.limits=routed",
                "rate-limiter.routes.open.key=global",
                "rate-limiter.limits.failures.max-requests=9",
                "rate-limiter.limits.failures.window-size=1h",
                "rate-limiter.limits.failures.count=failures",
                "rate-limiter.limits.failures.ban.after=1",
                "rate-limiter.limits.failures.ban.within=1h",
                "rate-limiter.limits.failures.ban.for=1h",
                "rate-limiter.routes.failing.paths=/blocking,/failing,/streaming",
                "rate-limiter.routes.failing.limits=failures",
                "rate-limiter.routes.failing.key=global");
    }

    private static long remaining(TestApp app, String limit) {
        return app.bean(RateLimiter.class)
                .peek(Acquisition.of(app.bean(Limits.class).get(limit), "global"))
                .remaining();
    }
}
