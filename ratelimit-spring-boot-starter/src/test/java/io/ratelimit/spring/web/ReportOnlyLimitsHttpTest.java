package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimitRefusedEvent;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.RedisProcess;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Limits and routes that only report, beside those that refuse. */
class ReportOnlyLimitsHttpTest {

    @Configuration(proxyBeanMethods = false)
    static class Counting {

        final List<String> refused = new CopyOnWriteArrayList<>();

        @EventListener
        void on(RateLimitRefusedEvent event) {
            event.decision()
                    .refusing()
                    .forEach(status -> refused.add(status.limit().name()));
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @Bean
        Inner inner() {
            return new Inner();
        }
    }

    static class Inner {
        @RateLimited(value = "inner", key = "global")
        public Mono<String> call() {
            return Mono.just("called");
        }
    }

    @RestController
    static class Calls {
        @GetMapping({"/api/x", "/trial/x", "/enforced/x", "/costly", "/header-cost", "/settled", "/away"})
        ResponseEntity<String> call(
                @RequestAttribute(name = RequestView.EXCEEDED_LIMITS, required = false) Set<String> exceeded) {
            return ResponseEntity.ok().header("X-Tokens", "1").body(String.valueOf(exceeded));
        }
    }

    @RestController
    static class OnServlet {

        @Autowired
        Inner inner;

        @RateLimited(value = "noted", key = "header:X-User")
        @GetMapping("/annotated")
        public String annotated(HttpServletRequest request) {
            return String.valueOf(request.getAttribute(RequestView.EXCEEDED_LIMITS));
        }

        @GetMapping("/inner")
        Mono<String> inner(HttpServletRequest request) {
            return inner.call().map(called -> String.valueOf(request.getAttribute(RequestView.EXCEEDED_LIMITS)));
        }
    }

    @RestController
    static class OnReactive {

        @Autowired
        Inner inner;

        @RateLimited(value = "noted", key = "header:X-User")
        @GetMapping("/annotated")
        public Mono<String> annotated(ServerWebExchange exchange) {
            return Mono.fromSupplier(() -> String.valueOf(exchange.<Object>getAttribute(RequestView.EXCEEDED_LIMITS)));
        }

        @GetMapping("/inner")
        Mono<String> inner(ServerWebExchange exchange) {
            return inner.call()
                    .map(called -> String.valueOf(exchange.<Object>getAttribute(RequestView.EXCEEDED_LIMITS)));
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

    abstract static class OnStack extends TwoInstances {

        OnStack(Stack stack, boolean onRedis) {
            super(stack, onRedis);
        }

        @Test
        void tenAreAdmittedOfWhichTwoOthersWouldHaveRefusedSome() {
            List<Answer> answers = IntStream.range(0, 11)
                    .mapToObj(i -> get(i % 2 == 0 ? one : other, "/api/x", "ann"))
                    .toList();

            assertThat(answers.subList(0, 10)).allSatisfy(answer -> {
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("RateLimit")).startsWith("\"ten\"").doesNotContain("five", "two");
                assertThat(answer.header("RateLimit-Policy")).isEqualTo("\"ten\";q=10;w=86400");
                assertThat(answer.header("X-RateLimit-Limit")).isEqualTo("10");
            });
            assertThat(answers.stream().map(Answer::body).toList().subList(0, 10))
                    .containsExactly(
                            "null",
                            "null",
                            "[two]",
                            "[two]",
                            "[two]",
                            "[five, two]",
                            "[five, two]",
                            "[five, two]",
                            "[five, two]",
                            "[five, two]");
            assertThat(answers.get(10).status()).isEqualTo(429);
            assertThat(answers.get(10).body()).contains("\"violated-policies\":[\"ten\"]");
            assertThat(one.bean(Counting.class).refused).containsOnlyOnce("ten").doesNotContain("five", "two");
            assertThat(decisions("five", "would-refuse")).isEqualTo(5);
            assertThat(decisions("five", "allowed")).isEqualTo(5);
            assertThat(decisions("two", "would-refuse")).isEqualTo(8);
            assertThat(decisions("five", "refused")).isZero();
        }

        @Test
        void aRouteThatReportsTriesALimitThatAnotherRouteEnforces() {
            for (int i = 0; i < 3; i++) {
                Answer trial = get(one, "/trial/x", "bob");
                assertThat(trial.status()).isEqualTo(200);
                assertThat(trial.header("RateLimit")).isNull();
                assertThat(trial.body()).isEqualTo(i < 2 ? "null" : "[enforced]");
            }
            assertThat(get(other, "/enforced/x", "bob").header("RateLimit")).startsWith("\"enforced\";r=1;");
            assertThat(get(one, "/enforced/x", "bob").status()).isEqualTo(200);
            assertThat(get(other, "/enforced/x", "bob").status()).isEqualTo(429);
        }

        @Test
        void aCostThatNeverFitsIsReported() {
            assertThat(get(one, "/costly?n=6", "cid").body()).isEqualTo("[costs]");
            assertThat(get(other, "/costly?n=5", "cid").body()).isEqualTo("null");
        }

        @Test
        void aCostThatIsNoneIsNotCounted() {
            Answer bad = one.get("/header-cost", "X-User", "dan", "X-Cost", "many");
            assertThat(bad.status()).isEqualTo(200);
            assertThat(remaining("header-cost", "dan")).isEqualTo(5);
        }

        @Test
        void isSettledAtTheEnd() {
            get(one, "/settled", "eve");
            await().until(() -> remaining("settled", "eve") == 4);
        }

        @Test
        void anAnnotatedMethodSeesItsOwnLimits() {
            assertThat(get(one, "/annotated", "fay").body()).isEqualTo("null");
            Answer exceeding = get(other, "/annotated", "fay");
            assertThat(exceeding.body()).isEqualTo("[noted]");
            assertThat(exceeding.header("RateLimit")).isNull();
        }

        @Test
        void anEndpointSeesTheLimitsOfABeanThatItCalls() {
            assertThat(get(one, "/inner", "gil").body()).isEqualTo("null");
            assertThat(get(other, "/inner", "gil").body()).isEqualTo("[inner]");
        }

        @Test
        void theEndpointMarksThem() {
            assertThat(one.get("/actuator/ratelimits").body())
                    .contains(
                            "\"name\":\"five\",\"algorithm\":\"sliding-window-log\",\"maxRequests\":5,\"windowSize\":\"PT24H\",\"burst\":null,\"from\":\"configuration\",\"override\":null,\"reportOnly\":true",
                            "\"reportOnly\":true,\"declaredBy\":\"rate-limiter.routes.trial\"");
            for (int i = 0; i < 3; i++) {
                get(one, "/api/x", "ida");
            }
            assertThat(one.get("/actuator/ratelimits?path=/api/x&header=X-User:ida")
                            .body())
                    .contains(
                            "\"refusedBy\":[]",
                            "\"limit\":\"ten\",\"capacity\":10,\"remaining\":7,\"retryAfter\":\"PT0S\"",
                            "\"limit\":\"two\",\"capacity\":2,\"remaining\":0");
            assertThat(one.get("/actuator/ratelimits/header:x-user:ida").body())
                    .contains("\"limit\":\"five\",\"capacity\":5,\"remaining\":2", "\"reportOnly\":true");
        }

        @Test
        void aMissingStoreRefusesNothing() {
            try (TestApp away = instance(
                    "spring.data.redis.url=redis://127.0.0.1:" + RedisProcess.freePort(),
                    "rate-limiter.timeout=100ms")) {
                assertThat(get(away, "/away", "hal").status()).isEqualTo(200);
                assertThat(get(away, "/trial/x", "hal").status()).isEqualTo(200);
                assertThat(get(away, "/api/x", "hal").status()).isEqualTo(503);
            }
        }

        private double decisions(String limit, String outcome) {
            return (one == other ? List.of(one) : List.of(one, other))
                    .stream()
                            .flatMap(app -> app
                                    .bean(MeterRegistry.class)
                                    .find("rate.limiter.decisions")
                                    .tags("limit", limit, "outcome", outcome)
                                    .counters()
                                    .stream())
                            .mapToDouble(Counter::count)
                            .sum();
        }

        private long remaining(String limit, String user) {
            Limit shown = one.bean(Limits.class).get(limit);
            return one.bean(RateLimiter.class)
                    .peek(Acquisition.of(shown, "header:x-user:" + user))
                    .reported()
                    .get(0)
                    .remaining();
        }

        private static Answer get(TestApp app, String path, String user) {
            return app.get(path, "X-User", user);
        }

        @Override
        TestApp instance(String... store) {
            List<String> properties = new ArrayList<>(List.of(store));
            properties.addAll(List.of(
                    "rate-limiter.key=header:X-User",
                    "rate-limiter.on-store-failure=closed",
                    "management.endpoints.web.exposure.include=ratelimits",
                    "rate-limiter.limits.enforced.max-requests=2",
                    "rate-limiter.limits.enforced.window-size=1d",
                    "rate-limiter.limits.ten.max-requests=10",
                    "rate-limiter.limits.ten.window-size=1d"));
            reporting("five", 5, properties);
            reporting("two", 2, properties);
            reporting("costs", 5, properties);
            reporting("header-cost", 5, properties);
            reporting("settled", 5, properties);
            reporting("noted", 1, properties);
            reporting("inner", 1, properties);
            properties.addAll(List.of(
                    "rate-limiter.routes.api.paths=/api/**",
                    "rate-limiter.routes.api.limits=five,ten,two",
                    "rate-limiter.routes.trial.paths=/trial/**",
                    "rate-limiter.routes.trial.limits=enforced",
                    "rate-limiter.routes.trial.report-only=true",
                    "rate-limiter.routes.enforced.paths=/enforced/**",
                    "rate-limiter.routes.enforced.limits=enforced",
                    "rate-limiter.routes.costly.paths=/costly",
                    "rate-limiter.routes.costly.limits=costs",
                    "rate-limiter.routes.costly.cost=new Integer(#request.param('n'))",
                    "rate-limiter.routes.header-cost.paths=/header-cost",
                    "rate-limiter.routes.header-cost.limits=header-cost",
                    "rate-limiter.routes.header-cost.cost=header:X-Cost",
                    "rate-limiter.routes.settled.paths=/settled",
                    "rate-limiter.routes.settled.limits=settled",
                    "rate-limiter.routes.settled.cost=3",
                    "rate-limiter.routes.settled.actual-cost=header:X-Tokens",
                    "rate-limiter.routes.away.paths=/away",
                    "rate-limiter.routes.away.max-requests=5",
                    "rate-limiter.routes.away.on-store-failure=closed",
                    "rate-limiter.routes.away.report-only=true"));
            Class<?> own = stack == Stack.SERVLET ? OnServlet.class : OnReactive.class;
            return TestApp.start(stack, List.of(Counting.class, Calls.class, own), properties.toArray(String[]::new));
        }

        private static void reporting(String limit, int requests, List<String> properties) {
            String name = "rate-limiter.limits." + limit + ".";
            properties.addAll(
                    List.of(name + "max-requests=" + requests, name + "window-size=1d", name + "report-only=true"));
        }
    }
}
