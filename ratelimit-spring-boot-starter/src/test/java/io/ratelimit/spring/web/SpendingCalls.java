package io.ratelimit.spring.web;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Stack;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Endpoints whose calls cost what a test says, which is known at their end. */
final class SpendingCalls {

    static volatile Sinks.One<String> held = Sinks.one();

    private SpendingCalls() {}

    /** Those that tell by an attribute are of one web stack. */
    static Class<?> by(Stack stack) {
        return stack == Stack.SERVLET ? OnServlet.class : OnReactive.class;
    }

    @RestController
    static class OnBoth {

        @GetMapping("/header")
        Mono<ResponseEntity<String>> header(
                @RequestParam(required = false) String tokens, @RequestParam(defaultValue = "200") int status) {
            ResponseEntity.BodyBuilder response = ResponseEntity.status(status);
            if (tokens != null) {
                response.header("X-Tokens", tokens);
            }
            return Mono.just(response.body("done"));
        }

        @GetMapping("/header/held")
        Mono<ResponseEntity<String>> held(@RequestParam String tokens) {
            return held.asMono()
                    .map(body -> ResponseEntity.ok().header("X-Tokens", tokens).body(body));
        }

        @GetMapping("/header/fails")
        String fails() {
            throw new IllegalStateException("the application's own");
        }

        @RateLimited(value = "tokens", key = "#user", cost = "20", actualCost = "#result.length()")
        @GetMapping("/annotated/text")
        Mono<String> text(@RequestParam String user, @RequestParam int length) {
            return Mono.just("x".repeat(length));
        }

        @RateLimited(value = "tokens", key = "#user", cost = "20", actualCost = "#result.startsWith('0') ? 0 : 7")
        @GetMapping("/annotated/ticks")
        Flux<String> ticks(@RequestParam String user, @RequestParam int tokens) {
            return Flux.interval(Duration.ofMillis(5)).onBackpressureDrop().map(tick -> tokens + " tokens".repeat(500));
        }
    }

    @RestController
    static class OnServlet {

        @GetMapping("/attribute")
        String attribute(HttpServletRequest request, @RequestParam String tokens) {
            request.setAttribute("tokens", tokens);
            return "done";
        }

        @GetMapping("/attribute/stream")
        Flux<String> stream(HttpServletRequest request) {
            return streamed(request::setAttribute);
        }

        @GetMapping("/attribute/ticks")
        Flux<String> ticks(HttpServletRequest request, @RequestParam(defaultValue = "7") int tokens) {
            return ticking(request::setAttribute, tokens);
        }

        @GetMapping("/attribute/breaks")
        Flux<String> breaks(HttpServletRequest request, @RequestParam int tokens) {
            return breaking(request::setAttribute, tokens);
        }

        @GetMapping(path = "/attribute/events", produces = "text/event-stream")
        Flux<String> events(HttpServletRequest request) {
            return eventful(request::setAttribute);
        }
    }

    @RestController
    static class OnReactive {

        @GetMapping("/attribute")
        String attribute(ServerWebExchange exchange, @RequestParam String tokens) {
            exchange.getAttributes().put("tokens", tokens);
            return "done";
        }

        @GetMapping("/attribute/stream")
        Flux<String> stream(ServerWebExchange exchange) {
            return streamed(exchange.getAttributes()::put);
        }

        @GetMapping("/attribute/ticks")
        Flux<String> ticks(ServerWebExchange exchange, @RequestParam(defaultValue = "7") int tokens) {
            return ticking(exchange.getAttributes()::put, tokens);
        }

        @GetMapping("/attribute/breaks")
        Flux<String> breaks(ServerWebExchange exchange, @RequestParam int tokens) {
            return breaking(exchange.getAttributes()::put, tokens);
        }

        @GetMapping(path = "/attribute/events", produces = "text/event-stream")
        Flux<String> events(ServerWebExchange exchange) {
            return eventful(exchange.getAttributes()::put);
        }
    }

    private static Flux<String> streamed(BiConsumer<String, Object> attributes) {
        return Flux.concat(Mono.just("begun"), held.asMono().doOnNext(body -> attributes.accept("tokens", 33)));
    }

    private static Flux<String> breaking(BiConsumer<String, Object> attributes, int tokens) {
        attributes.accept("tokens", tokens);
        return Flux.just("x".repeat(20_000), "begun") // more than servers keep in a buffer
                .concatWith(Mono.delay(Duration.ofMillis(5)).then(Mono.error(new IllegalStateException("its own"))));
    }

    /** Does not know what was used, as a model that reports no usage. */
    private static Flux<String> eventful(BiConsumer<String, Object> attributes) {
        return Flux.just("one", "two").doOnComplete(() -> attributes.accept("tokens", 0));
    }

    /** Has cost these when its first part is sent. */
    private static Flux<String> ticking(BiConsumer<String, Object> attributes, int tokens) {
        attributes.accept("tokens", tokens);
        return Flux.interval(Duration.ofMillis(5)).onBackpressureDrop().map(tick -> "tick ".repeat(500));
    }
}
