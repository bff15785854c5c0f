package io.ratelimit.sample;

import io.ratelimit.spring.RateLimited;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The three lines of YAML, counted by user. */
@RestController
class CheckController {

    @RateLimited(key = "param:userId")
    @GetMapping("/check")
    String check() {
        return "User is allowed";
    }
}
