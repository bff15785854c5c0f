package io.ratelimit.spring.web;

import io.ratelimit.spring.RateLimited;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** What devices call. */
@RestController
class DevicesController {

    @GetMapping("/sync")
    String sync() {
        return "synchronized";
    }

    @RateLimited(
            name = "players",
            algorithm = "unique-count",
            maxRequests = "2",
            windowSize = "1d",
            key = "#user",
            element = "#device")
    @GetMapping("/play")
    Mono<String> play(@RequestParam String user, @RequestParam(required = false) String device) {
        return Mono.just("playing");
    }
}
