package io.ratelimit.sample;

import io.ratelimit.spring.RateLimited;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Calls a partner who allows five calls a second: all instances together wait for that instead of being refused. */
@RestController
class PartnerController {

    @RateLimited(algorithm = "token-bucket", maxRequests = "5", windowSize = "1s", key = "global", maxWait = "2s")
    @GetMapping("/partner")
    String partner() {
        return "answer of the partner";
    }
}
