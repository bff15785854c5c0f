package io.ratelimit.spring.internal.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.KeyResolver;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.spring.web.Secured;
import io.ratelimit.testing.Http.Answer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** An annotated bean knows the request of its subscriber, whichever thread and whatever calls it. */
@Tag("thorough")
class KnowsItsRequestTest {

    private static TestApp app;

    static class Service {

        @RateLimited(maxRequests = "2", key = "ip")
        public Mono<String> ip() {
            return Mono.just("ok");
        }

        @RateLimited(maxRequests = "2", key = "header:X-User")
        public Mono<String> header() {
            return Mono.just("ok");
        }

        @RateLimited(maxRequests = "2")
        public Flux<String> caller() {
            return Flux.just("o", "k");
        }

        @RateLimited(maxRequests = "2", key = "principal")
        public Mono<String> principal() {
            return Mono.just("ok");
        }

        @RateLimited(maxRequests = "2", key = "#request.header('X-User') + '/' + #principal.name")
        public Mono<String> expression() {
            return Mono.just("ok");
        }

        @RateLimited(maxRequests = "2", key = "resolver")
        public Mono<String> resolver() {
            return Mono.just("ok");
        }

        @RateLimited(maxRequests = "1", key = "header:X-User")
        public Mono<Void> filter() {
            return Mono.empty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Service service() {
            return new Service();
        }

        @Bean
        KeyResolver resolver() {
            return request -> request.principal().getName() + request.header("X-User");
        }

        /** In front of Spring Security and of all else. */
        @Bean
        @Order(-200)
        WebFilter early(Service service) {
            return (exchange, chain) -> exchange.getRequest().getPath().value().equals("/two/filtered")
                    ? service.filter().then(chain.filter(exchange))
                    : chain.filter(exchange);
        }

        @Bean
        RouterFunction<ServerResponse> functional(Service service) {
            return RouterFunctions.route()
                    .GET("/functional", request -> ServerResponse.ok().body(service.header(), String.class))
                    .build();
        }
    }

    @RestController
    static class Endpoints {

        private final Service service;

        Endpoints(Service service) {
            this.service = service;
        }

        @GetMapping("/here/{key}")
        Mono<String> here(@PathVariable String key) {
            return by(key);
        }

        @GetMapping("/timer/{key}")
        Mono<String> timer(@PathVariable String key) {
            return Mono.delay(Duration.ofMillis(1)).flatMap(tick -> by(key));
        }

        @GetMapping("/elastic/{key}")
        Mono<String> elastic(@PathVariable String key) {
            return Mono.defer(() -> by(key)).subscribeOn(Schedulers.boundedElastic());
        }

        @GetMapping("/twice")
        Mono<String> twice() {
            Mono<String> once = service.header();
            return once.then(once);
        }

        private Mono<String> by(String key) {
            return switch (key) {
                case "ip" -> service.ip();
                case "header" -> service.header();
                case "caller" -> service.caller().reduce(String::concat);
                case "principal" -> service.principal();
                case "expression" -> service.expression();
                default -> service.resolver();
            };
        }

        @GetMapping("/two/filtered")
        String filtered() {
            return "ok";
        }
    }

    /** The catch-all that many applications have. */
    @RestControllerAdvice
    static class CatchAll {

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> any(Exception failure) {
            return ResponseEntity.status(500).body("caught by all");
        }
    }

    @BeforeAll
    static void start() {
        app = TestApp.startSecured(
                Stack.REACTIVE,
                List.of(
                        AtSettableTime.class,
                        Secured.by(Stack.REACTIVE),
                        Application.class,
                        Endpoints.class,
                        CatchAll.class),
                "rate-limiter.trusted-proxies=127.0.0.0/8,::1");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"here", "timer", "elastic"})
    void onWhicheverThread(String thread) {
        for (String key : List.of("header", "expression", "resolver")) {
            assertCountsApart(
                    "/" + thread + "/" + key, as("alice", "X-User", thread + 1), as("alice", "X-User", thread + 2));
        }
    }

    @Test
    void byTheAddress() {
        assertCountsApart(
                "/timer/ip",
                as("alice", "X-Forwarded-For", "198.51.100.1"),
                as("alice", "X-Forwarded-For", "198.51.100.2"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"principal", "caller"})
    void byWhoIsAuthenticated(String key) {
        assertCountsApart("/timer/" + key, as("alice"), as("bob"));
    }

    @Test
    void inAFunctionalEndpoint() {
        assertCountsApart("/functional", as("alice", "X-User", "f1"), as("alice", "X-User", "f2"));
    }

    @Test
    void inAFilterBeforeAllOthers() {
        assertThat(app.get("/two/filtered", "X-User", "early").status()).isEqualTo(200);
        Answer refused = app.get("/two/filtered", "X-User", "early");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isEqualTo("60");
        assertThat(app.get("/two/filtered", "X-User", "other").status()).isEqualTo(200);
    }

    @Test
    void eachSubscriptionIsACall() {
        assertThat(app.get("/twice", as("alice", "X-User", "twice")).status()).isEqualTo(200);
        assertThat(app.get("/here/header", as("alice", "X-User", "twice")).status())
                .isEqualTo(429);
    }

    private static void assertCountsApart(String path, String[] one, String[] other) {
        assertThat(app.get(path, one).status()).isEqualTo(200);
        assertThat(app.get(path, one).body()).isEqualTo("ok");
        Answer refused = app.get(path, one);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(app.get(path, other).status()).isEqualTo(200);
    }

    private static String[] as(String user, String... headers) {
        String basic = Base64.getEncoder().encodeToString((user + ":pw").getBytes(StandardCharsets.UTF_8));
        List<String> all = new ArrayList<>(List.of("Authorization", "Basic " + basic));
        all.addAll(List.of(headers));
        return all.toArray(String[]::new);
    }
}
