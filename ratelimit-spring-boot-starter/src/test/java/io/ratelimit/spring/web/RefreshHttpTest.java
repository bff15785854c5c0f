package io.ratelimit.spring.web;

import static io.ratelimit.spring.testing.LimitsEndpoint.json;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.internal.rule.LimitsUser;
import io.ratelimit.spring.testing.LimitsEndpoint;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** The configuration is read again while the application runs. */
class RefreshHttpTest {

    @RestController
    static class Calls {
        @GetMapping({"/api/x", "/other"})
        String call() {
            return "ok";
        }

        @RateLimited(value = "api", key = "#user")
        @GetMapping("/annotated")
        public Mono<String> annotated(@RequestParam String user) {
            return Mono.just("ok");
        }
    }

    static class NamesLimits {
        @Bean
        LimitsUser user() {
            return fresh -> {
                if (fresh.get("api").algorithm().isReleased()) {
                    throw new IllegalArgumentException("nobody says when a call ends");
                }
            };
        }
    }

    @Controller
    static class Forwarding {

        private final ApplicationEventPublisher events;

        Forwarding(ApplicationEventPublisher events) {
            this.events = events;
        }

        @GetMapping("/api/forward")
        String forward() {
            events.publishEvent(new EnvironmentChangeEvent(Set.of()));
            return "forward:/api/x";
        }
    }

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET);
        }

        @Test
        void aRequestThatIsForwardedMeanwhileIsCountedOnce() {
            try (TestApp forwarding = TestApp.start(
                    List.of(ShopController.class, Forwarding.class),
                    "rate-limiter.routes.api.paths=/api/**",
                    "rate-limiter.routes.api.max-requests=5")) {
                assertThat(forwarding.get("/api/forward").body()).isEqualTo("ok");
                assertThat(forwarding.get("/api/x").header("RateLimit")).startsWith("\"api\";r=3;");
            }
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
        private final Map<String, Object> changed = new TreeMap<>();
        private TestApp app;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        @BeforeEach
        void start() {
            app = TestApp.start(
                    stack,
                    List.of(Calls.class),
                    LimitsEndpoint.EXPOSED,
                    "management.endpoint.ratelimits.access=unrestricted",
                    "rate-limiter.store=in-memory",
                    "rate-limiter.key=header:X-User",
                    "rate-limiter.plan=#request.header('X-Plan')",
                    "rate-limiter.limits.api.max-requests=5",
                    "rate-limiter.limits.api.window-size=1d",
                    "rate-limiter.limits.api.plans.gold.max-requests=9",
                    "rate-limiter.routes.api.paths=/api/**",
                    "rate-limiter.routes.api.limits=api");
            app.bean(ConfigurableEnvironment.class)
                    .getPropertySources()
                    .addFirst(new MapPropertySource("changed", changed));
        }

        @AfterEach
        void stop() {
            app.close();
        }

        @Test
        void aChangedNumberHoldsAtOnceAndUsageIsKept() throws IOException {
            get("/api/x");
            get("/api/x");
            app.get("/annotated?user=ann");
            refresh("limits.api.max-requests=3", "limits.api.plans.gold.max-requests=20");

            assertThat(get("/api/x").header("RateLimit")).startsWith("\"api\";r=0;");
            assertThat(get("/api/x").status()).isEqualTo(429);
            assertThat(app.get("/annotated?user=ann").header("RateLimit")).startsWith("\"api\";r=1;");
            assertThat(get("/api/x", "X-Plan", "gold").header("RateLimit-Policy"))
                    .isEqualTo("\"api\";q=20;w=86400");
            assertThat(app.bean(Limits.class).get("api").maxRequests()).isEqualTo(3);
            assertThat(json(app.get("/actuator/ratelimits"))
                            .at("/limits/0/maxRequests")
                            .asLong())
                    .isEqualTo(3);
        }

        /** As the gateway's limiter does, whose routes name limits. */
        @Test
        void whatABeanCannotUseLeavesAllThatWasInForce() {
            try (TestApp named = TestApp.start(
                    stack,
                    List.of(ShopController.class, NamesLimits.class),
                    "rate-limiter.limits.api.max-requests=5",
                    "rate-limiter.routes.plain.paths=/plain/**",
                    "rate-limiter.routes.plain.limits=api")) {
                named.bean(ConfigurableEnvironment.class)
                        .getPropertySources()
                        .addFirst(new MapPropertySource(
                                "changed", Map.of("rate-limiter.limits.api.use-algo", "concurrency")));

                named.publish(new EnvironmentChangeEvent(Set.of("any")));

                assertThat(named.get("/plain/x").header("RateLimit-Policy")).startsWith("\"api\";q=5;w=");
            }
        }

        @Test
        void whoIsDeniedFirstByAChangeIsDenied() {
            try (TestApp empty = TestApp.start(stack, List.of(ShopController.class), "rate-limiter.deny=")) {
                empty.bean(ConfigurableEnvironment.class)
                        .getPropertySources()
                        .addFirst(new MapPropertySource("changed", Map.of("rate-limiter.deny", "127.0.0.0/8,::1")));
                assertThat(empty.get("/plain/x").status()).isEqualTo(200);

                empty.publish(new EnvironmentChangeEvent(Set.of("rate-limiter.deny")));

                assertThat(empty.get("/plain/x").status()).isEqualTo(403);
            }
        }

        @Test
        void aNewRouteALimitAndListsHold() throws IOException {
            assertThat(get("/other").header("RateLimit")).isNull();
            refresh(
                    "limits.new.max-requests=2",
                    "routes.other.paths=/other",
                    "routes.other.limits=new",
                    "allow=header:X-User:free",
                    "deny=header:X-User:eve");

            assertThat(get("/other").header("RateLimit")).startsWith("\"new\";r=1;");
            assertThat(app.get("/other", "X-User", "eve").status()).isEqualTo(403);
            assertThat(app.get("/other", "X-User", "free").header("RateLimit")).isNull();
            JsonNode routes = json(app.get("/actuator/ratelimits")).at("/routes");
            assertThat(routes).hasSize(2);
            assertThat(json(app, "path=/other", "header=X-User:ann").at("/routes"))
                    .hasSize(1);
        }

        @Test
        void whatCannotWorkLeavesAllThatWasInForce() {
            for (List<String> invalid : List.of(
                    List.of("limits.api.max-requests=0", "RL-101"),
                    List.of("routes.api.limits=gone", "RL-105"),
                    List.of(
                            "limits.api.max-requests=4",
                            "clients.partner.hosts=api.example.com",
                            "clients.partner.limits=gone",
                            "RL-105"),
                    List.of("limits.api.max-requests=many", "RL-110"),
                    List.of("routes.api.path=/typo", "RL-109"),
                    List.of("deny=10.0.0.0/33", "RL-118"),
                    List.of("limits.api.window-size=1h", "limits.api.plans.gold.burst=3", "RL-117"))) {
                changed.clear();
                try (LogCapture log = LogCapture.of("io.ratelimit.RL-158")) {
                    refresh(invalid.subList(0, invalid.size() - 1).toArray(String[]::new));
                    assertThat(log.messages(Level.WARN))
                            .as(invalid.toString())
                            .singleElement()
                            .asString()
                            .contains(invalid.get(invalid.size() - 1));
                }
                assertThat(get("/api/x", "X-User", "for " + invalid.hashCode()).header("RateLimit-Policy"))
                        .isEqualTo("\"api\";q=5;w=86400");
            }
        }

        @Test
        void whatCannotBeFollowedIsSaid() {
            try (LogCapture log = LogCapture.of("io.ratelimit.RL-159")) {
                refresh(
                        "timeout=7s",
                        "key-prefix=other",
                        "on-store-failure=closed",
                        "clients.partner.hosts=api.example.com",
                        "clients.partner.limits=api",
                        "limits.api.max-requests=4");
                assertThat(log.messages(Level.WARN))
                        .singleElement()
                        .asString()
                        .contains(
                                "timeout",
                                "key-prefix",
                                "on-store-failure, for clients",
                                "clients, because there were none")
                        .doesNotContain("limits");
            }
            assertThat(get("/api/x").header("RateLimit-Policy")).isEqualTo("\"api\";q=4;w=86400");

            changed.clear();
            try (LogCapture log = LogCapture.of("io.ratelimit.RL-159")) {
                refresh("limits.api.max-requests=4");
                assertThat(log.messages(Level.WARN)).as("changed back").isEmpty();
            }
        }

        /** Overrides begin and end between the changes, and keep the window that is in force. */
        @Test
        void noRequestFailsMeanwhileOrIsDecidedByHalfOfAChange() throws Exception {
            AtomicBoolean calling = new AtomicBoolean(true);
            ExecutorService threads = Executors.newFixedThreadPool(2);
            Future<?> calls = threads.submit(() -> {
                for (int i = 0; calling.get(); i++) {
                    Answer answer = get("/api/x", "X-User", "caller " + i);
                    assertThat(answer.status()).isEqualTo(200);
                    assertThat(answer.header("RateLimit-Policy"))
                            .matches("\"api\";(q=5;w=86400|q=7;w=3600|q=9;w=7200|q=3;w=(86400|3600|7200))");
                }
            });
            for (int i = 0; i < 20; i++) {
                refresh("limits.api.max-requests=7", "limits.api.window-size=1h");
                assertThat(LimitsEndpoint.override(app, "api", "{\"maxRequests\": 3, \"for\": \"1h\"}")
                                .status())
                        .isEqualTo(200);
                refresh("limits.api.max-requests=9", "limits.api.window-size=2h");
                assertThat(app.send("DELETE", "/actuator/ratelimits/limits/api").status())
                        .isEqualTo(200);
            }
            calling.set(false);
            calls.get();
            threads.shutdown();
        }

        private void refresh(String... properties) {
            for (String property : properties) {
                int equals = property.indexOf('=');
                changed.put("rate-limiter." + property.substring(0, equals), property.substring(equals + 1));
            }
            app.publish(new EnvironmentChangeEvent(Set.of("any")));
        }

        private Answer get(String path, String... headers) {
            return app.get(path, headers.length > 0 && headers[0].equals("X-User") ? headers : withUser(headers));
        }

        private static String[] withUser(String... headers) {
            return headers.length == 0
                    ? new String[] {"X-User", "ann"}
                    : new String[] {"X-User", "ann", headers[0], headers[1]};
        }
    }
}
