package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.spring.PlanResolver;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** A limit has the numbers of a call's plan, over one state. */
class PlansHttpTest {

    @Configuration(proxyBeanMethods = false)
    static class Plans {
        @Bean
        PlanResolver planOfCustomer() {
            return request -> request.header("X-Plan");
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    @RestController
    static class Calls {
        @GetMapping({"/api/x", "/costly", "/own/x", "/fixed-window", "/token-bucket", "/sliding-window-counter"})
        String call() {
            return "ok";
        }

        @RateLimited(value = "api", key = "#user", plan = "#plan")
        @GetMapping("/annotated")
        public Mono<String> annotated(@RequestParam String user, @RequestParam String plan) {
            return Mono.just("ok");
        }

        @RateLimited(value = "api", key = "#user")
        @GetMapping("/annotated/default")
        public Mono<String> ofDefault(@RequestParam String user) {
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
    @Tag("reactive")
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
        void aPlanHasItsOwnNumbers() {
            assertThat(get(one, "/api/x", "ann", "gold").header("RateLimit-Policy"))
                    .isEqualTo("\"api\";q=9;w=86400");
            assertThat(get(other, "/api/x", "ann", "gold").header("RateLimit")).startsWith("\"api\";r=7;");
            assertThat(get(one, "/api/x", "bob").header("RateLimit-Policy")).isEqualTo("\"api\";q=4;w=86400");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"/api/x?sliding-window-log", "/fixed-window", "/sliding-window-counter", "/token-bucket"})
        void whatIsUsedStaysUsedWhenThePlanChanges(String path) {
            String user = "changes" + path.hashCode();
            assertThat(get(one, path, user, "gold").header("RateLimit")).contains(";r=8;");
            assertThat(get(other, path, user, "gold").header("RateLimit")).contains(";r=7;");
            assertThat(get(one, path, user).header("RateLimit")).contains(";r=1;");
            assertThat(get(other, path, user, "small").status()).isEqualTo(429);
            assertThat(get(one, path, user, "gold").header("RateLimit")).contains(";r=5;");
            assertThat(get(other, path, user).header("RateLimit")).contains(";r=0;");
            assertThat(get(one, path, user).status()).isEqualTo(429);
            assertThat(get(other, path, user, "gold").header("RateLimit")).contains(";r=4;");
        }

        @Test
        void anUnlimitedPlanIsNeitherLimitedNorCounted() {
            for (int i = 0; i < 12; i++) {
                Answer answer = get(i % 2 == 0 ? one : other, "/api/x", "staff", "staff");
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("RateLimit")).isNull();
            }
            assertThat(get(one, "/api/x", "staff").header("RateLimit")).startsWith("\"api\";r=3;");
        }

        @Test
        void anUnknownPlanHasTheLimitsOwnNumbersWithAMeterAndOneWarning() {
            try (TestApp fresh = instance("rate-limiter.store=auto");
                    LogCapture log = LogCapture.of("io.ratelimit.RL-458")) {
                assertThat(get(fresh, "/api/x", "una", "platinum").header("RateLimit-Policy"))
                        .isEqualTo("\"api\";q=4;w=86400");
                assertThat(get(fresh, "/api/x", "una").header("RateLimit")).startsWith("\"api\";r=2;");
                assertThat(log.messages(Level.WARN))
                        .singleElement()
                        .asString()
                        .contains("planOfCustomer", "gold", "staff")
                        .doesNotContain("platinum");
                assertThat(meter(fresh, "rate.limiter.unresolved", "limit", "api", "reason", "plan"))
                        .isEqualTo(2);
            }
        }

        @Test
        void aCostThatFitsTheLargePlanOnlyIsABadRequestForTheSmallOne() {
            assertThat(get(one, "/costly", "cid", "gold").header("RateLimit")).startsWith("\"api\";r=3;");
            Answer never = get(one, "/costly", "cid", "small");
            assertThat(never.status()).isEqualTo(400);
            assertThat(never.body()).contains("\"violated-policies\":[\"api\"]");
            assertThat(get(other, "/costly", "cid", "gold").status()).isEqualTo(429);
        }

        @Test
        void anAnnotationHasAPlanOfItsOwnOrThatOfAll() {
            assertThat(one.get("/annotated?user=dan&plan=gold").header("RateLimit"))
                    .startsWith("\"api\";r=8;");
            assertThat(other.get("/annotated?user=dan&plan=none").header("RateLimit"))
                    .startsWith("\"api\";r=2;");
            assertThat(one.get("/annotated/default?user=dan", "X-Plan", "gold").header("RateLimit"))
                    .startsWith("\"api\";r=6;");
        }

        @Test
        void aRoutesOwnLimitHasPlansToo() {
            assertThat(get(one, "/own/x", "eve", "big").header("RateLimit-Policy"))
                    .isEqualTo("\"own\";q=7;w=86400");
            assertThat(get(one, "/own/x", "eve", "gold").header("RateLimit-Policy"))
                    .isEqualTo("\"own\";q=2;w=86400");
        }

        @Test
        void metersTellPlansApart() {
            double before = meter(one, "rate.limiter.decisions", "limit", "api", "plan", "gold");
            get(one, "/api/x", "fay", "gold");
            assertThat(meter(one, "rate.limiter.decisions", "limit", "api", "plan", "gold"))
                    .isEqualTo(before + 1);
        }

        private static double meter(TestApp app, String name, String... tags) {
            Counter counter =
                    app.bean(MeterRegistry.class).find(name).tags(tags).counter();
            return counter == null ? 0 : counter.count();
        }

        private static Answer get(TestApp app, String path, String user) {
            return app.get(path, "X-User", user);
        }

        private static Answer get(TestApp app, String path, String user, String plan) {
            return app.get(path, "X-User", user, "X-Plan", plan);
        }

        @Override
        TestApp instance(String... store) {
            List<String> properties = new ArrayList<>(List.of(store));
            properties.addAll(List.of(
                    "rate-limiter.key=header:X-User",
                    "rate-limiter.plan=planOfCustomer",
                    "rate-limiter.limits.api.max-requests=4",
                    "rate-limiter.limits.api.window-size=1d",
                    "rate-limiter.limits.api.plans.gold.max-requests=9",
                    "rate-limiter.limits.api.plans.small.max-requests=3",
                    "rate-limiter.limits.api.plans.staff.unlimited=true",
                    "rate-limiter.routes.api.paths=/api/**",
                    "rate-limiter.routes.api.limits=api",
                    "rate-limiter.routes.costly.paths=/costly",
                    "rate-limiter.routes.costly.limits=api",
                    "rate-limiter.routes.costly.cost=6",
                    "rate-limiter.routes.own.paths=/own/**",
                    "rate-limiter.routes.own.max-requests=2",
                    "rate-limiter.routes.own.window-size=1d",
                    "rate-limiter.routes.own.plans.big.max-requests=7"));
            for (String algorithm : List.of("fixed-window", "sliding-window-counter", "token-bucket")) {
                String route = "rate-limiter.routes." + algorithm + ".";
                properties.addAll(List.of(
                        route + "paths=/" + algorithm,
                        route + "use-algo=" + algorithm,
                        route + "max-requests=4",
                        route + "window-size=1d",
                        route + "plans.gold.max-requests=9",
                        route + "plans.small.max-requests=3"));
            }
            return TestApp.start(stack, List.of(Plans.class, Calls.class), properties.toArray(String[]::new));
        }
    }
}
