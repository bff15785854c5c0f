package io.ratelimit.test;

import io.ratelimit.spring.RateLimited;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class Orders {

    @GetMapping("/orders")
    String orders() {
        return "orders";
    }

    @PostMapping("/login")
    String login() {
        return "welcome";
    }

    @RateLimited(name = "search", maxRequests = "2", windowSize = "1m", key = "param:user")
    @GetMapping("/search")
    String search() {
        return "found";
    }
}
