package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.spring.web.Secured;
import io.ratelimit.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Limited methods of Spring MVC whose calls go on on other threads, which Spring Security has told nothing, or for other requests. */
class CarriedRequestTest {

    static class Service {

        private final Mono<String> shared = Mono.just("ok");

        @RateLimited(maxRequests = "2")
        public Mono<String> caller() {
            return shared;
        }

        @RateLimited(maxRequests = "2", key = "principal")
        public Mono<String> principal() {
            return shared;
        }

        @RateLimited(maxRequests = "2", key = "global", condition = "#principal?.name == 'bob'")
        public Mono<String> condition() {
            return shared;
        }

        @RateLimited(maxRequests = "1000", key = "global")
        public Mono<String> limitedWhoAmI() {
            return Mono.just(
                    SecurityContextHolder.getContext().getAuthentication().getName());
        }

        /** As method security would ask. */
        Mono<String> whoAmI() {
            return Mono.fromSupplier(
                    () -> SecurityContextHolder.getContext().getAuthentication().getName());
        }
    }

    @RestController
    static class Endpoint {

        private final Service service;
        private final Mono<String> ofStart;
        private volatile Mono<String> ofFirst;

        Endpoint(Service service) {
            this.service = service;
            this.ofStart = service.principal();
        }

        @RateLimited(maxRequests = "1000", key = "global")
        @GetMapping("/later/{key}")
        public Mono<String> later(@PathVariable String key) {
            return Mono.delay(Duration.ofMillis(1)).flatMap(tick -> switch (key) {
                case "caller" -> service.caller();
                case "principal" -> service.principal();
                default -> service.condition();
            });
        }

        /** Kept since the first request. */
        @GetMapping("/shared")
        Mono<String> shared() {
            Mono<String> first = ofFirst == null ? service.principal() : ofFirst;
            ofFirst = first;
            return first;
        }

        @RateLimited(maxRequests = "1000", key = "global")
        @GetMapping("/shared/later")
        public Mono<String> sharedLater() {
            return Mono.delay(Duration.ofMillis(1)).then(shared());
        }

        @GetMapping("/start")
        Mono<String> ofStart() {
            return ofStart;
        }

        @RateLimited(maxRequests = "1000", key = "global")
        @GetMapping("/as/{user}")
        public Mono<String> as(@PathVariable String user) {
            SecurityContextHolder.setContext(
                    new SecurityContextImpl(new UsernamePasswordAuthenticationToken(user, "pw", List.of())));
            return service.whoAmI();
        }

        /** Of the caller alone: what is subscribed to has the context of before. */
        @GetMapping("/run/{user}")
        Mono<String> run(@PathVariable String user) {
            return runAs(user).flatMap(ranAs -> service.whoAmI().map(after -> ranAs + " " + after));
        }

        @RateLimited(maxRequests = "1000", key = "global")
        @GetMapping("/run/{user}/later")
        public Mono<String> runLater(@PathVariable String user) {
            return Mono.delay(Duration.ofMillis(1)).flatMap(tick -> runAs(user));
        }

        private Mono<String> runAs(String user) {
            SecurityContext own = SecurityContextHolder.getContext();
            SecurityContextHolder.setContext(
                    new SecurityContextImpl(new UsernamePasswordAuthenticationToken(user, "pw", List.of())));
            try {
                return service.limitedWhoAmI();
            } finally {
                SecurityContextHolder.setContext(own);
            }
        }

        @RateLimited(maxRequests = "1000", key = "global")
        @GetMapping("/as/{user}/later")
        public Mono<String> asLater(@PathVariable String user) {
            SecurityContextHolder.setContext(
                    new SecurityContextImpl(new UsernamePasswordAuthenticationToken(user, "pw", List.of())));
            return later("principal");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        Service service() {
            return new Service();
        }
    }

    private TestApp app;

    private void start(String... properties) {
        app = TestApp.startSecured(
                Stack.SERVLET, List.of(Secured.by(Stack.SERVLET), Application.class, Endpoint.class), properties);
    }

    @AfterEach
    void stop() {
        app.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/later/caller", "/later/principal", "/shared", "/shared/later", "/start"})
    void eachSubscriptionCountsForWhoIsAuthenticated(String path) {
        start();
        assertThat(statuses(path, "alice", 3)).containsExactly(200, 200, 429);
        assertThat(statuses(path, "bob", 3)).containsExactly(200, 200, 429);
    }

    @Test
    void conditionsKnowWhoIsAuthenticated() {
        start();
        assertThat(statuses("/later/condition", "bob", 3)).containsExactly(200, 200, 429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/later/principal", "/shared"})
    void whoIsExemptStaysSoAndNobodyElseIs(String path) {
        start("rate-limiter.allow=principal:alice");
        assertThat(statuses(path, "alice", 3)).containsExactly(200, 200, 200);
        assertThat(statuses(path, "bob", 3)).containsExactly(200, 200, 429);
        assertThat(statuses(path, "alice", 1)).containsExactly(200);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoWasAuthenticatedByTheMethodStaysSo(boolean onRedis) {
        start(store(onRedis));
        assertThat(app.get("/as/eve", "Authorization", basic("alice")).body()).isEqualTo("eve");
        assertThat(statuses("/as/eve/later", "alice", 3)).containsExactly(200, 200, 429);
        assertThat(statuses("/as/dan/later", "alice", 3)).containsExactly(200, 200, 429);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theMethodRunsInTheContextOfItsCaller(boolean onRedis) {
        start(store(onRedis));
        assertThat(app.get("/run/system", "Authorization", basic("alice")).body())
                .isEqualTo("system alice");
    }

    /** Also where the caller's thread has no request: its endpoint has passed that on. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theMethodRunsInTheContextOfItsCallerOnAnotherThread(boolean onRedis) {
        start(store(onRedis));
        assertThat(app.get("/run/system/later", "Authorization", basic("alice")).body())
                .isEqualTo("system");
    }

    /** Redis decides later, and another thread goes on. */
    private static String[] store(boolean onRedis) {
        return onRedis
                ? new String[] {
                    "spring.data.redis.url=" + TestRedis.uri(), "rate-limiter.key-prefix=" + UUID.randomUUID()
                }
                : new String[0];
    }

    private List<Integer> statuses(String path, String user, int calls) {
        return Mono.fromSupplier(
                        () -> app.get(path, "Authorization", basic(user)).status())
                .repeat(calls - 1)
                .collectList()
                .block();
    }

    private static String basic(String user) {
        return "Basic " + HttpHeaders.encodeBasicAuth(user, "pw", null);
    }
}
