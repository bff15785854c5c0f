package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.RedisProcess;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Decides, counts and logs, but never refuses. */
class ReportOnlyHttpTest {

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

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @Test
        void letsThroughWhatItWouldRefuseAndSaysSo() {
            try (TestApp app = TestApp.start(
                            stack,
                            List.of(ShopController.class),
                            "rate-limiter.report-only=true",
                            "rate-limiter.routes.plain.paths=/plain/**",
                            "rate-limiter.routes.plain.max-requests=1",
                            "rate-limiter.routes.plain.window-size=1d");
                    LogCapture log = LogCapture.start()) {
                assertThat(app.get("/plain/x").header("RateLimit")).startsWith("\"plain\";r=0;");
                Answer over = app.get("/plain/x");
                assertThat(over.status()).isEqualTo(200);
                assertThat(over.body()).isEqualTo("ok");
                assertThat(over.header("RateLimit")).startsWith("\"plain\";r=0;");
                assertThat(log.messages(Level.INFO)).singleElement().asString().contains("report-only", "plain");
            }
        }

        @Test
        void letsThroughWhatAMissingStoreWouldRefuse() {
            try (TestApp app = TestApp.start(
                    stack,
                    List.of(ShopController.class),
                    "rate-limiter.report-only=true",
                    "rate-limiter.on-store-failure=closed",
                    "spring.data.redis.url=redis://127.0.0.1:" + RedisProcess.freePort(),
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.max-requests=1")) {
                Answer answer = app.get("/plain/x");
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("RateLimit")).isNull();
            }
        }

        /** Nothing was charged to it, so its end gives nothing back. */
        @Test
        void aCallThatWasLetThroughFreesNoSlotOfAnother() throws Exception {
            try (TestApp app = TestApp.start(
                    stack,
                    List.of(ShopController.class, HeldCalls.class),
                    "rate-limiter.report-only=true",
                    "rate-limiter.limits.flight.use-algo=concurrency",
                    "rate-limiter.limits.flight.max-requests=2",
                    "rate-limiter.limits.api.max-requests=1",
                    "rate-limiter.limits.api.window-size=1d",
                    "rate-limiter.routes.both.paths=/plain/x,/held/mono",
                    "rate-limiter.routes.both.limits=flight,api")) {
                CompletableFuture<Answer> held = CompletableFuture.supplyAsync(() -> app.get("/held/mono?call=a"));
                HeldCalls calls = app.bean(HeldCalls.class);
                await().until(() -> calls.isInFlight("a"));

                for (int i = 0; i < 2; i++) {
                    assertThat(app.get("/plain/x").header("RateLimit")).contains("\"flight\";r=1;");
                }

                calls.finish("a");
                assertThat(held.get().status()).isEqualTo(200);
            }
        }
    }
}
