package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.micrometer.core.instrument.MeterRegistry;
import io.ratelimit.spring.internal.rule.CallLimiter.Unresolved;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A user may have two devices a day, which call as often as they like within 100 requests. */
class UniqueCountHttpTest {

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

    @Configuration(proxyBeanMethods = false)
    static class Failing {
        @Bean
        Unresolved.Listener failing() {
            return (limit, reason) -> {
                throw new IllegalStateException("no registry");
            };
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {
        private final Stack stack;
        private final TestApp app;

        OnStack(Stack stack) {
            this.stack = stack;
            this.app = start();
        }

        private TestApp start(Class<?>... more) {
            List<Class<?>> configurations = new ArrayList<>(List.of(more));
            configurations.addAll(List.of(AtSettableTime.class, DevicesController.class));
            return TestApp.start(
                    stack,
                    configurations,
                    "management.endpoints.web.exposure.include=ratelimits",
                    "rate-limiter.limits.daily.max-requests=100",
                    "rate-limiter.limits.daily.window-size=1d",
                    "rate-limiter.routes.devices.paths=/sync",
                    "rate-limiter.routes.devices.key=header:X-User",
                    "rate-limiter.routes.devices.limits=daily",
                    "rate-limiter.routes.devices.cost=10",
                    "rate-limiter.routes.devices.use-algo=unique-count",
                    "rate-limiter.routes.devices.max-requests=2",
                    "rate-limiter.routes.devices.window-size=1d",
                    "rate-limiter.routes.devices.element=header:X-Device",
                    "rate-limiter.limits.shared.use-algo=unique-count",
                    "rate-limiter.limits.shared.max-requests=1",
                    "rate-limiter.limits.shared.window-size=1d",
                    "rate-limiter.routes.visitors.paths=/visit",
                    "rate-limiter.routes.visitors.key=header:X-Page",
                    "rate-limiter.routes.visitors.use-algo=unique-count",
                    "rate-limiter.routes.visitors.approximate=true",
                    "rate-limiter.routes.visitors.max-requests=1000000",
                    "rate-limiter.routes.visitors.window-size=1d",
                    "rate-limiter.routes.visitors.element=header:X-User",
                    "rate-limiter.routes.one.paths=/both",
                    "rate-limiter.routes.one.limits=shared",
                    "rate-limiter.routes.one.key=header:X-User",
                    "rate-limiter.routes.one.element=header:X-Device",
                    "rate-limiter.routes.two.paths=/both",
                    "rate-limiter.routes.two.limits=shared",
                    "rate-limiter.routes.two.key=ip",
                    "rate-limiter.routes.two.element=header:X-Phone");
        }

        @Test
        void aListenerThatFailsFailsNoRequest() {
            try (TestApp failing = start(Failing.class)) {
                assertThat(failing.get("/sync", "X-User", "nell").status()).isEqualTo(200);
            }
        }

        @AfterAll
        void close() {
            app.close();
        }

        @Test
        void aThirdDeviceIsRefusedAndTheFirstTwoAreNot() {
            assertThat(sync("ann", "phone").header("RateLimit-Policy"))
                    .isEqualTo("\"daily\";q=100;w=86400,\"devices\";q=2;w=86400");
            assertThat(sync("ann", "tablet").status()).isEqualTo(200);

            Answer refused = sync("ann", "laptop");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.body()).contains("\"violated-policies\":[\"devices\"]");
            assertThat(refused.header("RateLimit")).contains("\"daily\";r=80;", "\"devices\";r=0;");

            assertThat(sync("ann", "phone").status()).isEqualTo(200);
            assertThat(sync("ben", "laptop").status()).isEqualTo(200);
            app.bean(SettableClock.class).advance(Duration.ofDays(1));
            assertThat(sync("ann", "laptop").status()).isEqualTo(200);
        }

        @Test
        void withoutADeviceTheAddressIsCountedAndNobodyGetsPastTheLimit() {
            try (LogCapture log = LogCapture.start()) {
                double before = unresolved();
                sync("eve", "phone");
                sync("eve", "tablet");
                assertThat(app.get("/sync", "X-User", "eve").status()).isEqualTo(429);
                assertThat(app.get("/sync", "X-User", "eva").status()).isEqualTo(200);
                assertThat(app.get("/sync", "X-User", "eva").status()).isEqualTo(200);

                assertThat(unresolved()).isEqualTo(before + 3);
                assertThat(log.messages(Level.WARN))
                        .containsExactly(
                                "RL-456: rate-limiter.routes.devices.element: element 'header:X-Device' names nothing, the"
                                        + " client's address is counted");
            }
        }

        @Test
        void ofTwoElementsOfOneSubjectTheFirstIsCounted() {
            try (LogCapture log = LogCapture.start()) {
                double before = unresolved();
                assertThat(both("a", "b").status()).isEqualTo(404);
                assertThat(both("a", "b").status()).as("one of them is counted").isEqualTo(404);
                assertThat(both("c", "d").status()).isEqualTo(429);

                assertThat(unresolved()).isEqualTo(before + 3);
                assertThat(log.messages(Level.WARN))
                        .singleElement()
                        .asString()
                        .startsWith("RL-457: ")
                        .contains("'shared'");
                assertThat(app.get(
                                        "/actuator/ratelimits?path=/both&address=127.0.0.1&header=X-Device:z&header=X-Phone:y")
                                .body())
                        .contains("\"refusedBy\":[\"shared\"]");
            }
        }

        /** Without a user, both routes count the address. */
        private Answer both(String device, String phone) {
            return app.raw("GET", "/both", "X-Device", device, "X-Phone", phone);
        }

        @Test
        void anAnnotatedMethodCountsAnArgument() {
            assertThat(app.get("/play?user=may&device=phone").status()).isEqualTo(200);
            assertThat(app.get("/play?user=may&device=tv").status()).isEqualTo(200);
            assertThat(app.get("/play?user=may&device=laptop").status()).isEqualTo(429);
            assertThat(app.get("/play?user=may&device=tv").status()).isEqualTo(200);
            assertThat(app.get("/play?user=may").status()).isEqualTo(429);
        }

        @Test
        void aMillionVisitorsOfAPageAreCountedByAnEstimate() {
            assertThat(visit("ann").header("RateLimit")).startsWith("\"visitors\";r=999999;");
            assertThat(visit("ben").header("RateLimit")).startsWith("\"visitors\";r=999998;");
            assertThat(visit("ann").header("RateLimit")).startsWith("\"visitors\";r=999998;");
        }

        private Answer visit(String user) {
            return app.get("/visit", "X-Page", "home", "X-User", user);
        }

        @Test
        void theEndpointSaysWhetherAnotherDeviceFits() {
            sync("sam", "phone");
            assertThat(app.get("/actuator/ratelimits/header:x-user:sam").body())
                    .contains("{\"limit\":\"devices\",\"capacity\":2,\"remaining\":1,\"retryAfter\":\"PT0S\"");
            assertThat(app.get("/actuator/ratelimits?path=/sync&header=X-User:sam&header=X-Device:tv")
                            .body())
                    .contains("\"refusedBy\":[]");
        }

        private Answer sync(String user, String device) {
            return app.get("/sync", "X-User", user, "X-Device", device);
        }

        private double unresolved() {
            return app
                    .bean(MeterRegistry.class)
                    .find("rate.limiter.unresolved")
                    .tag("reason", "element")
                    .counters()
                    .stream()
                    .mapToDouble(counter -> counter.count())
                    .sum();
        }
    }
}
