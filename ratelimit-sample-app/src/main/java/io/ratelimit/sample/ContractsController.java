package io.ratelimit.sample;

import io.ratelimit.spring.RateLimited;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves customers, of whom some have {@link Contracts} with numbers of their own. */
@RestController
class ContractsController {

    @RateLimited(value = "contracts", key = "header:X-User")
    @GetMapping("/contracts")
    String serve() {
        return "served";
    }
}
