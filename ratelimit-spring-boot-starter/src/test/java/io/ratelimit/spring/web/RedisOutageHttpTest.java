package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** An application whose Redis is not there at the start, comes, hangs, and goes. */
class RedisOutageHttpTest {

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET, false, false);
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE, false, false);
        }
    }

    @Nested
    @Tag("slow")
    class SecuredServlet extends OnStack {
        SecuredServlet() {
            super(Stack.SERVLET, true, false);
        }
    }

    @Nested
    @Tag("slow")
    class SecuredReactive extends OnStack {
        SecuredReactive() {
            super(Stack.REACTIVE, true, false);
        }
    }

    /** The same by the clock: answers are there in time, and what is logged is little. A busy machine makes outages of its own. */
    @Nested
    @Tag("alone")
    class ServletInTime extends OnStack {
        ServletInTime() {
            super(Stack.SERVLET, false, true);
        }
    }

    @Nested
    @Tag("alone")
    class ReactiveInTime extends OnStack {
        ReactiveInTime() {
            super(Stack.REACTIVE, false, true);
        }
    }

    @Nested
    @Tag("alone")
    class SecuredServletInTime extends OnStack {
        SecuredServletInTime() {
            super(Stack.SERVLET, true, true);
        }
    }

    @Nested
    @Tag("alone")
    class SecuredReactiveInTime extends OnStack {
        SecuredReactiveInTime() {
            super(Stack.REACTIVE, true, true);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {
        private static final Duration BOUND = Duration.ofSeconds(2);

        private final Stack stack;
        private final boolean secured;
        private final boolean inTime;

        OnStack(Stack stack, boolean secured, boolean inTime) {
            this.stack = stack;
            this.secured = secured;
            this.inTime = inTime;
        }

        private final AtomicInteger users = new AtomicInteger();

        @Test
        void everyPolicyHoldsThroughEveryOutage() {
            int port = RedisProcess.freePort();
            try (TestApp app = start(port);
                    LogCapture log = LogCapture.start()) {
                policiesHold(app);
                try (RedisProcess redis = RedisProcess.startOn(port)) {
                    recovers(app);
                    awaitEnd(app);
                    assertThat(ends(log)).isNotEmpty();
                    isRefused(app);
                    redis.signal("STOP");
                    policiesHold(app);
                    redis.signal("CONT");
                    recovers(app);
                    awaitEnd(app);
                    if (inTime) {
                        assertThat(ends(log)).hasSizeBetween(1, 2); // not one for each request or outage
                    }
                }
                policiesHold(app);
                assertThat(log.messages(Level.WARN))
                        .filteredOn(line -> line.contains("does not answer"))
                        .hasSizeBetween(1, inTime ? 2 : Integer.MAX_VALUE);
            }
        }

        private void policiesHold(TestApp app) {
            String user = newUser();
            Answer closed = timed(app, "/plain/closed", user);
            assertThat(closed.status()).isEqualTo(503);
            assertThat(closed.header("Retry-After")).isEqualTo("1");
            assertThat(closed.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(closed.header("RateLimit")).isNull();
            assertThat(closed.body()).contains("#temporary-reduced-capacity");

            assertThat(timed(app, "/annotated/closed", user).status()).isEqualTo(503);
            assertThat(timed(app, "/annotated/closed", user).body()).contains("#temporary-reduced-capacity");

            for (int i = 0; i < 3; i++) {
                Answer open = timed(app, "/plain/open", user);
                assertThat(open.status()).isEqualTo(200);
                assertThat(open.headers().map())
                        .doesNotContainKeys("ratelimit", "ratelimit-policy", "x-ratelimit-limit");
            }

            assertThat(timed(app, "/plain/local", user).header("RateLimit")).startsWith("\"local\";r=1");
            assertThat(timed(app, "/plain/local", user).status()).isEqualTo(200);
            assertThat(timed(app, "/plain/local", user).status()).isEqualTo(429);
        }

        /** What counts is the store's again, for all routes. */
        private void recovers(TestApp app) {
            await().pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
                String user = newUser();
                assertThat(get(app, "/plain/closed", user).status()).isEqualTo(200);
                assertThat(get(app, "/plain/open", user).header("RateLimit")).startsWith("\"open\";r=1");
                assertThat(get(app, "/plain/local", user).header("RateLimit")).startsWith("\"local\";r=1");
            });
        }

        /** The process then remembers a refusal. */
        private void isRefused(TestApp app) {
            String user = newUser();
            await().until(() -> get(app, "/plain/open", user).status() == 429);
        }

        /** An outage ends once nothing has failed for a second. */
        private void awaitEnd(TestApp app) {
            await().pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
                get(app, "/plain/open", newUser());
                assertThat(app.bean(RateLimiterStack.class).outage()).isEmpty();
            });
        }

        private static List<String> ends(LogCapture log) {
            return log.messages(Level.INFO).stream()
                    .filter(line -> line.contains("answers again"))
                    .toList();
        }

        private Answer timed(TestApp app, String path, String user) {
            long startNanos = System.nanoTime();
            Answer answer = get(app, path, user);
            if (inTime) {
                assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(BOUND);
            }
            return answer;
        }

        /** By a user that Spring Security knows, where it asks. */
        private static Answer get(TestApp app, String path, String user) {
            return app.get(path, "X-User", user, "Authorization", Secured.basic("alice", "pw"));
        }

        private String newUser() {
            return "user" + users.incrementAndGet();
        }

        private TestApp start(int port) {
            return Secured.start(
                    stack,
                    secured,
                    ShopController.class,
                    "spring.data.redis.url=redis://127.0.0.1:" + port,
                    "rate-limiter.key=header:X-User",
                    "rate-limiter.timeout=250ms",
                    "rate-limiter.routes.closed.paths=/plain/closed",
                    "rate-limiter.routes.closed.max-requests=2",
                    "rate-limiter.routes.closed.window-size=1h",
                    "rate-limiter.routes.closed.on-store-failure=closed",
                    "rate-limiter.routes.open.paths=/plain/open",
                    "rate-limiter.routes.open.max-requests=2",
                    "rate-limiter.routes.open.window-size=1h",
                    "rate-limiter.routes.open.on-store-failure=open",
                    "rate-limiter.routes.local.paths=/plain/local",
                    "rate-limiter.routes.local.max-requests=2",
                    "rate-limiter.routes.local.window-size=1h");
        }
    }
}
