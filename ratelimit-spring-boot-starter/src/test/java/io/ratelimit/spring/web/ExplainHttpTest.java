package io.ratelimit.spring.web;

import static io.ratelimit.spring.testing.LimitsEndpoint.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AppTest;
import io.ratelimit.spring.testing.LimitsEndpoint;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.ForwardingRateLimiter;
import io.ratelimit.testing.Http.Answer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Who would be refused, by what, and until when: asked over HTTP, and charging nothing. */
class ExplainHttpTest {

    @RestController
    static class Orders {

        @RateLimited(value = "daily", key = "principal", condition = "#request.header('X-Free') == null")
        @GetMapping("/api/orders")
        public Mono<String> all() {
            return Mono.just("all");
        }

        @RateLimited(value = "daily", key = "#id")
        @GetMapping("/api/orders/{id}")
        public Mono<String> one(@PathVariable("id") String id) {
            return Mono.just(id);
        }

        @PostMapping("/api/orders/{id}")
        public Mono<String> change(@PathVariable("id") String id) {
            return Mono.just(id);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AnswersNothing {

        @Bean
        RateLimiter limiter() {
            return new ForwardingRateLimiter(InMemoryRateLimiter.create()) {
                @Override
                public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
                    return CompletableFuture.completedFuture(Decision.unanswered());
                }

                @Override
                public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
                    return acquireAsync(acquisition);
                }
            };
        }
    }

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

    abstract static class OnStack extends AppTest {

        OnStack(Stack stack) {
            super(
                    stack,
                    List.of(Orders.class),
                    "management.endpoints.web.exposure.include=ratelimits",
                    "rate-limiter.limits.burst.max-requests=5",
                    "rate-limiter.limits.burst.window-size=15m",
                    "rate-limiter.limits.daily.max-requests=100",
                    "rate-limiter.limits.daily.window-size=24h",
                    "rate-limiter.routes.api.paths=/api/**",
                    "rate-limiter.routes.api.limits=burst,daily",
                    "rate-limiter.routes.api.key=header:X-Api-Key",
                    "rate-limiter.routes.pages.paths=/pages/**",
                    "rate-limiter.routes.pages.methods=GET",
                    "rate-limiter.routes.pages.limits=burst",
                    "rate-limiter.routes.pages.cost=2",
                    "rate-limiter.routes.pages.key=ip");
        }

        @Test
        void namesTheRouteAndTheAnnotationWithSubjectAndState() throws IOException {
            JsonNode explained = explain("path=/api/orders", "header=X-Api-Key:k1", "principal=alice");

            assertThat(explained.at("/refusedBy")).isEmpty();
            assertThat(explained.at("/routes")).hasSize(1);
            assertThat(explained.at("/routes/0/declaredBy").asText()).isEqualTo("rate-limiter.routes.api");
            assertThat(explained.at("/routes/0/key").asText()).isEqualTo("header:X-Api-Key");
            assertThat(explained.at("/routes/0/subject").asText()).isEqualTo("header:x-api-key:k1");
            assertThat(explained.at("/routes/0/limits"))
                    .extracting(limit -> limit.at("/limit").asText() + " "
                            + limit.at("/remaining").asLong())
                    .containsExactly("burst 5", "daily 100");
            assertThat(explained.at("/methods")).hasSize(1);
            assertThat(explained.at("/methods/0/declaredBy").asText()).isEqualTo(Orders.class.getName() + ".all");
            assertThat(explained.at("/methods/0/subject").asText()).isEqualTo("principal:alice");
        }

        @Test
        void saysWhatRefusesAndUntilWhenAndChargesNothing() throws IOException {
            app().bean(RateLimiter.class)
                    .acquire(Acquisition.of(app().bean(Limits.class).get("burst"), "header:x-api-key:k2", 5));

            for (int i = 0; i < 3; i++) {
                JsonNode explained = explain("path=/api/orders", "header=X-Api-Key: k2", "header=Accept: a,b");
                assertThat(explained.at("/refusedBy").toString()).isEqualTo("[\"burst\"]");
                assertThat(explained.at("/routes/0/limits/0/retryAfter").asText())
                        .startsWith("PT14M");
                assertThat(explained.at("/routes/0/limits/1/remaining").asLong())
                        .isGreaterThanOrEqualTo(99);
            }
        }

        @Test
        void theMethodThePathAndTheCostAreThoseOfTheRequest() throws IOException {
            JsonNode page = explain("path=/pages/a;v=1", "address=203.0.113.7");
            assertThat(page.at("/routes/0/subject").asText()).isEqualTo("ip:203.0.113.7");
            assertThat(page.at("/refusedBy")).isEmpty();
            app().bean(RateLimiter.class)
                    .acquire(Acquisition.of(app().bean(Limits.class).get("burst"), "ip:203.0.113.8", 4));
            JsonNode tooDear = explain("path=/pages/a", "address=203.0.113.8");
            assertThat(tooDear.at("/routes/0/limits/0/remaining").asLong()).isEqualTo(1);
            assertThat(tooDear.at("/refusedBy").toString()).as("it costs 2").isEqualTo("[\"burst\"]");

            assertThat(explain("path=/pages/a", "method=POST").at("/routes")).isEmpty();
            assertThat(explain("path=/pages/a", "method=HEAD").at("/routes")).hasSize(1);
            assertThat(explain("path=/elsewhere").at("/routes")).isEmpty();
            assertThat(explain("path=/api/orders/7", "method=POST").at("/methods"))
                    .isEmpty();
            assertThat(app().raw("GET", "//api/orders").status()).isEqualTo(404);
            assertThat(explain("path=//api/orders").at("/methods")).isEmpty();
        }

        @Test
        void whatOnlyTheCallKnowsIsSaidToBeUnknown() throws IOException {
            JsonNode one = explain("path=/api/orders/7").at("/methods/0");
            assertThat(one.at("/subject").isNull()).isTrue();
            assertThat(one.at("/note").asText()).contains("argument #id is known only when the method is called");

            JsonNode free = explain("path=/api/orders", "header=X-Free:1").at("/methods/0");
            assertThat(free.at("/note").asText()).isEqualTo("does not apply: its condition is false");

            JsonNode unknown = explain("path=/pages/a").at("/routes/0");
            assertThat(unknown.at("/note").asText()).contains("address=203.0.113.7");
        }

        @Test
        void aLimiterThatAnswersNothingIsNoServerError() throws IOException {
            try (TestApp app = TestApp.start(
                    stack(),
                    List.of(AnswersNothing.class),
                    "management.endpoints.web.exposure.include=ratelimits",
                    "rate-limiter.routes.all.paths=/**",
                    "rate-limiter.routes.all.max-requests=5")) {
                JsonNode explained = json(app.get("/actuator/ratelimits?path=/a&address=203.0.113.7"));
                assertThat(explained.at("/routes/0/subject").asText()).isEqualTo("ip:203.0.113.7");
                assertThat(explained.at("/routes/0/limits")).isEmpty();
                assertThat(app.get("/actuator/ratelimits/ip:203.0.113.7").status())
                        .isEqualTo(503);
                assertThat(json(app.get("/actuator/ratelimits")).at("/store").asText())
                        .isEqualTo("custom");
            }
        }

        @Test
        void whatCannotBeReadIsABadRequest() {
            assertBad("path", "path=api");
            assertBad("path", "method=GET");
            assertBad("path", "path=/%zz");
            assertBad("method", "path=/a", "method=G T");
            assertBad("header", "path=/a", "header=nothing");
            assertBad("header", "path=/a", "header=:nothing");
            assertBad("header", "path=/a", "header=");
            assertBad("address", "path=/a", "address=not-an-address");
        }

        @Test
        void withoutParametersItListsWhatIsInForce() throws IOException {
            JsonNode all = json(app().get("/actuator/ratelimits"));

            assertThat(all.at("/store").asText()).isEqualTo("in-memory");
            assertThat(all.at("/breakers")).isEmpty();
            assertThat(all.at("/routes/0/declaredBy").asText()).startsWith("rate-limiter.routes.");
            assertThat(all.at("/methods")).hasSize(2);
        }

        private void assertBad(String names, String... parameters) {
            Answer answer = LimitsEndpoint.send("GET", app(), parameters);
            assertThat(answer.status()).as(answer.body()).isEqualTo(400);
            assertThat(answer.body()).startsWith("{\"error\":\"").contains(names);
        }

        private JsonNode explain(String... parameters) throws IOException {
            return json(app(), parameters);
        }
    }
}
