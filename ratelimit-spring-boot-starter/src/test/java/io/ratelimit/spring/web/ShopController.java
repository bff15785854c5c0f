package io.ratelimit.spring.web;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import reactor.core.publisher.Mono;

/** What the HTTP tests call. */
@RestController
public class ShopController {

    private static final String OK = "ok";

    @CrossOrigin
    @RequestMapping({"/plain/**", "/api/**", "/two/**", "/get-only", "/by-ip", "/cors"})
    String plain() {
        return OK;
    }

    @RateLimited(maxRequests = "2", windowSize = "1m", key = "param:user")
    @GetMapping({"/annotated", "/api/annotated"})
    Mono<String> annotated() {
        return Mono.just(OK);
    }

    @RateLimited(maxRequests = "2", key = "#user")
    @GetMapping("/annotated/future")
    CompletableFuture<String> future(@RequestParam String user) {
        return CompletableFuture.completedFuture(OK);
    }

    @RateLimited(maxRequests = "2", key = "#user")
    @GetMapping("/annotated/mono")
    Mono<String> mono(@RequestParam String user) {
        return Mono.just(OK);
    }

    @RateLimited(maxRequests = "10", key = "#user", cost = "#items")
    @GetMapping("/annotated/cost")
    Mono<String> cost(@RequestParam String user, @RequestParam int items) {
        return Mono.just(OK);
    }

    @RateLimited(maxRequests = "2", onStoreFailure = "closed")
    @GetMapping("/annotated/closed")
    Mono<String> closed() {
        return Mono.just(OK);
    }

    @GetMapping("/fails")
    String fails() {
        throw new IllegalStateException("the application's own");
    }

    /** The catch-all that many applications have. */
    @RestControllerAdvice
    static class CatchAll {

        @ExceptionHandler(Exception.class)
        ResponseEntity<Map<String, String>> any(Exception failure) {
            return ResponseEntity.status(HttpStatus.INTERNAL_SERVER_ERROR).body(Map.of("caught", "by all"));
        }
    }

    @RestController
    static class WithOwnAnswer {

        @RateLimited(maxRequests = "1", key = "#user")
        @GetMapping("/own-answer")
        Mono<String> limited(@RequestParam String user) {
            return Mono.just(OK);
        }

        @ExceptionHandler(RateLimitExceededException.class)
        ResponseEntity<String> slowly(RateLimitExceededException refusal) {
            return ResponseEntity.status(420).body("slowly");
        }
    }
}
