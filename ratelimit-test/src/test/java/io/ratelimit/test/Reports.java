package io.ratelimit.test;

import io.ratelimit.spring.RateLimited;
import org.springframework.stereotype.Service;

@Service
class Reports {

    @RateLimited(value = "exports", key = "#user", onStoreFailure = "open")
    String export(String user) {
        return user;
    }
}
