package io.ratelimit.sample;

import io.ratelimit.spring.RateLimited;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** One algorithm each, 10 per 10 s, and two limits that are one decision. */
@RestController
@RequestMapping("/demo")
class DemoController {

    private static final String ALLOWED = "allowed";

    @RateLimited(algorithm = "fixed-window", maxRequests = "10", windowSize = "10s", key = "header:X-User")
    @GetMapping("/fixed-window")
    String fixedWindow() {
        return ALLOWED;
    }

    @RateLimited(algorithm = "sliding-window-log", maxRequests = "10", windowSize = "10s", key = "header:X-User")
    @GetMapping("/sliding-window-log")
    String slidingWindowLog() {
        return ALLOWED;
    }

    @RateLimited(algorithm = "sliding-window-counter", maxRequests = "10", windowSize = "10s", key = "header:X-User")
    @GetMapping("/sliding-window-counter")
    String slidingWindowCounter() {
        return ALLOWED;
    }

    @RateLimited(algorithm = "token-bucket", maxRequests = "10", windowSize = "10s", key = "header:X-User")
    @GetMapping("/token-bucket")
    String tokenBucket() {
        return ALLOWED;
    }

    @RateLimited(algorithm = "token-bucket", maxRequests = "5", windowSize = "1s", key = "header:X-User")
    @RateLimited(algorithm = "sliding-window-counter", maxRequests = "20", windowSize = "1m", key = "header:X-User")
    @GetMapping("/layered")
    String layered() {
        return ALLOWED;
    }
}
