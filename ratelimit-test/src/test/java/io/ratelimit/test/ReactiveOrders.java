package io.ratelimit.test;

import io.ratelimit.spring.RateLimited;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
class ReactiveOrders {

    @PostMapping("/reactive/login")
    Mono<String> login() {
        return Mono.just("welcome");
    }

    @RateLimited(name = "search", maxRequests = "2", windowSize = "1m", key = "param:user")
    @GetMapping("/reactive/search")
    Mono<String> search() {
        return Mono.just("found");
    }
}
