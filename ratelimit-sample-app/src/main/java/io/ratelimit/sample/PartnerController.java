package io.ratelimit.sample;

import io.ratelimit.spring.RateLimited;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/**
 * Calls a partner, which allows five requests in any second and answers 429 to more. {@code rate-limiter.clients} in
 * application.yml makes the requests of all instances wait for that, so that none is answered 429.
 */
@RestController
class PartnerController {

    private final RestClient partner;
    private final Environment environment;

    PartnerController(RestClient.Builder clients, Environment environment) {
        this.partner = clients.build();
        this.environment = environment;
    }

    @GetMapping("/partner")
    @Nullable
    String ask() {
        String port = environment.getRequiredProperty("local.server.port");
        return partner.get()
                .uri("http://localhost:{port}/partner/quotes", port)
                .retrieve()
                .body(String.class);
    }

    /** Stands for the partner. */
    @RateLimited(algorithm = "sliding-window-log", maxRequests = "5", windowSize = "1s", key = "global")
    @GetMapping("/partner/quotes")
    String quote() {
        return "a quote of the partner";
    }
}
