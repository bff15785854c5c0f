package io.ratelimit.spring.web;

import io.ratelimit.spring.RateLimited;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Checks passwords: that of everybody is "right". */
@RestController
class LogIn {

    /** Guesses whose password was looked at. */
    static final AtomicInteger CHECKED = new AtomicInteger();

    /** Held back until the test lets the answer go. */
    static volatile Sinks.One<String> answers = Sinks.one();

    @PostMapping("/login")
    Mono<ResponseEntity<String>> logIn(@RequestParam String password) {
        return Mono.just(answer(password));
    }

    @PostMapping("/login/slow")
    Mono<ResponseEntity<String>> slowly(@RequestParam String password) {
        return Mono.defer(() -> {
            CHECKED.incrementAndGet();
            return answers.asMono().map(go -> answer(password));
        });
    }

    @PostMapping("/login/throws")
    Mono<String> throwing(@RequestParam String password) {
        return password.equals("right")
                ? Mono.just("welcome")
                : Mono.error(new ResponseStatusException(HttpStatus.FORBIDDEN));
    }

    /** As Spring Security's form log-in answers. */
    @PostMapping("/login/form")
    Mono<ResponseEntity<Void>> form(@RequestParam String password) {
        return Mono.just(ResponseEntity.status(HttpStatus.FOUND)
                .header("Location", password.equals("right") ? "/" : "/login?error")
                .build());
    }

    @RateLimited(value = "login", key = "#user", count = "failures")
    @PostMapping("/annotated/login")
    Mono<ResponseEntity<String>> annotated(@RequestParam String user, @RequestParam String password) {
        return Mono.just(answer(password));
    }

    private static ResponseEntity<String> answer(String password) {
        return password.equals("right")
                ? ResponseEntity.ok("welcome")
                : ResponseEntity.status(HttpStatus.UNAUTHORIZED).body("wrong");
    }
}
