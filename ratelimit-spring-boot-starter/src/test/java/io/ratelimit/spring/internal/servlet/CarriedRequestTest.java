package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.spring.web.Secured;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** A limited endpoint that goes on on another thread, which Spring Security has told nothing, calls limited methods. */
class CarriedRequestTest {

    static class Service {

        @RateLimited(maxRequests = "2")
        public Mono<String> caller() {
            return Mono.just("ok");
        }

        @RateLimited(maxRequests = "2", key = "principal")
        public Mono<String> principal() {
            return Mono.just("ok");
        }

        @RateLimited(maxRequests = "2", key = "global", condition = "#principal?.name == 'bob'")
        public Mono<String> condition() {
            return Mono.just("ok");
        }
    }

    @RestController
    static class Endpoint {

        private final Service service;

        Endpoint(Service service) {
            this.service = service;
        }

        @RateLimited(maxRequests = "1000", key = "global")
        @GetMapping("/{key}")
        public Mono<String> call(@PathVariable String key) {
            return Mono.delay(Duration.ofMillis(1)).flatMap(tick -> switch (key) {
                case "caller" -> service.caller();
                case "principal" -> service.principal();
                default -> service.condition();
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        Service service() {
            return new Service();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"caller", "principal"})
    void itsCallsCountForWhoIsAuthenticated(String key) {
        try (TestApp app = start()) {
            assertThat(statuses(app, "/" + key, "alice", 3)).containsExactly(200, 200, 429);
            assertThat(statuses(app, "/" + key, "bob", 2)).containsExactly(200, 200);
        }
    }

    @Test
    void itsConditionsKnowWhoIsAuthenticated() {
        try (TestApp app = start("rate-limiter.allow=principal:alice")) {
            assertThat(statuses(app, "/condition", "bob", 3)).containsExactly(200, 200, 429);
        }
    }

    @Test
    void thoseWhoAreExemptStayExempt() {
        try (TestApp app = start("rate-limiter.allow=principal:alice")) {
            assertThat(statuses(app, "/principal", "alice", 3)).containsExactly(200, 200, 200);
        }
    }

    private static List<Integer> statuses(TestApp app, String path, String user, int calls) {
        String basic = "Basic " + HttpHeaders.encodeBasicAuth(user, "pw", null);
        return Mono.fromSupplier(() -> app.get(path, "Authorization", basic).status())
                .repeat(calls - 1)
                .collectList()
                .block();
    }

    private static TestApp start(String... properties) {
        return TestApp.startSecured(
                Stack.SERVLET, List.of(Secured.by(Stack.SERVLET), Application.class, Endpoint.class), properties);
    }
}
