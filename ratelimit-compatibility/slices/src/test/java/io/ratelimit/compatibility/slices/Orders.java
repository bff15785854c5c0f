package io.ratelimit.compatibility.slices;

import io.ratelimit.spring.RateLimited;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
class Orders {

    @RateLimited(name = "annotated", maxRequests = "1", windowSize = "1m", key = "param:user")
    @GetMapping("/annotated")
    Mono<String> annotated() {
        return Mono.just("found");
    }

    @GetMapping("/routed")
    String routed() {
        return "routed";
    }
}
