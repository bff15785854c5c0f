package io.ratelimit.spring.web;

import static io.ratelimit.spring.testing.LimitsEndpoint.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.LimitProvider;
import io.ratelimit.LimitProvider.Numbers;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LimitsEndpoint;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.StartFailure;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.TestRedis;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** A bean gives limits the numbers of a subject's contract. */
class LimitProviderHttpTest {

    @Configuration(proxyBeanMethods = false)
    static class Contracts {

        static final Map<String, Long> OF =
                Map.of("header:x-user:acme", 9L, "value:acme", 9L, "header:x-user:minus", -3L);

        @Bean
        LimitProvider contracts() {
            return (limit, subject) -> {
                if (subject.endsWith("hang")) {
                    new CountDownLatch(1).await();
                }
                if (subject.endsWith("fail")) {
                    throw new IOException("about " + subject);
                }
                return subject.endsWith("null")
                        ? null
                        : Optional.ofNullable(OF.get(subject)).map(Numbers::of);
            };
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    @RestController
    static class Calls {
        @GetMapping("/api/x")
        String call() {
            return "ok";
        }

        @RateLimited(value = "api", key = "#user")
        @GetMapping("/annotated")
        public Mono<String> annotated(@RequestParam String user) {
            return Mono.just("ok");
        }
    }

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
    class ServletOnRedis extends OnStack {
        ServletOnRedis() {
            super(Stack.SERVLET, true);
        }
    }

    @Nested
    @Tag("slow")
    class ReactiveOnRedis extends OnStack {
        ReactiveOnRedis() {
            super(Stack.REACTIVE, true);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {

        private final Stack stack;
        private final boolean onRedis;
        private final String prefix = UUID.randomUUID().toString();
        private TestApp one;
        private TestApp other;

        OnStack(Stack stack, boolean onRedis) {
            this.stack = stack;
            this.onRedis = onRedis;
        }

        @BeforeAll
        void start() {
            one = instance("rate-limiter.timeout=1m");
            other = onRedis ? instance("rate-limiter.timeout=1m") : one;
        }

        @AfterAll
        void stop() {
            one.close();
            other.close();
        }

        @Test
        void aSubjectHasTheNumbersOfItsContract() {
            assertThat(get(one, "acme").header("RateLimit-Policy")).isEqualTo("\"api\";q=9;w=86400");
            assertThat(get(other, "acme").header("RateLimit")).startsWith("\"api\";r=7;");
            assertThat(get(one, "bob").header("RateLimit-Policy")).isEqualTo("\"api\";q=4;w=86400");
            assertThat(one.get("/annotated?user=acme").header("RateLimit-Policy"))
                    .isEqualTo("\"api\";q=9;w=86400");
        }

        @Test
        void theEndpointAndMetersSayWhoseNumbersTheyAre() throws IOException {
            get(one, "acme");
            assertThat(json(one.get("/actuator/ratelimits/header:x-user:acme"))
                            .at("/0/from")
                            .asText())
                    .isEqualTo("provider");
            assertThat(json(one, "path=/api/x", "header=X-User:acme")
                            .at("/routes/0/limits/0/from")
                            .asText())
                    .isEqualTo("provider");
            MeterRegistry meters = one.bean(MeterRegistry.class);
            assertThat(meters.get("rate.limiter.decisions")
                            .tag("plan", "provider")
                            .counter()
                            .count())
                    .isPositive();
            await().untilAsserted(() -> assertThat(meters.get("rate.limiter.lookups")
                            .tag("outcome", "found")
                            .counter()
                            .count())
                    .isPositive());
        }

        @Test
        void oneThatFailsMeansTheLimitsOwnNumbersAndOneWarning() {
            try (TestApp fresh = instance("rate-limiter.timeout=61s");
                    LogCapture log = LogCapture.of("io.ratelimit.RL-462")) {
                for (String user : List.of("fail", "null", "minus", "2 fail", "3 fail")) {
                    assertThat(get(fresh, user).header("RateLimit")).startsWith("\"api\";r=3;");
                }
                await().until(() -> fresh.bean(MeterRegistry.class)
                                .get("rate.limiter.lookups")
                                .tag("outcome", "failed")
                                .counter()
                                .count()
                        == 5);
                assertThat(log.messages(Level.WARN)).hasSize(1).allMatch(line -> !line.contains("about"));
            }
        }

        @Test
        void oneThatHangsHoldsNobodyUp() {
            try (TestApp fresh = instance("rate-limiter.timeout=80ms")) {
                for (int i = 0; i < 40; i++) {
                    assertThat(get(fresh, i + "hang").status()).isEqualTo(200);
                }
            }
        }

        private TestApp instance(String timeout) {
            TestApp app = TestApp.start(
                    stack,
                    List.of(Calls.class, Contracts.class),
                    onRedis ? "spring.data.redis.url=" + TestRedis.uri() : "rate-limiter.store=in-memory",
                    timeout,
                    LimitsEndpoint.EXPOSED,
                    "rate-limiter.key-prefix=" + prefix + timeout.hashCode(),
                    "rate-limiter.limits.api.max-requests=4",
                    "rate-limiter.limits.api.window-size=1d",
                    "rate-limiter.routes.api.paths=/api/**",
                    "rate-limiter.routes.api.limits=api",
                    "rate-limiter.routes.api.key=header:X-User");
            return onRedis ? app.onRedis() : app;
        }

        private static Answer get(TestApp app, String user) {
            return app.get("/api/x", "X-User", user);
        }
    }

    @Test
    void aLimitWithALeaseOrShardsCannotHaveIt() {
        for (String setting : List.of("lease=2", "shards=2")) {
            Contexts.web()
                    .withBean(LimitProvider.class, () -> (limit, subject) -> Optional.empty())
                    .withPropertyValues(
                            "rate-limiter.routes.api.paths=/api/**",
                            "rate-limiter.routes.api.max-requests=5",
                            "rate-limiter.routes.api." + setting)
                    .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                            .contains("RL-117")
                            .contains("rate-limiter.routes.api")
                            .contains("LimitProvider"));
        }
    }
}
