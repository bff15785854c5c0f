package io.ratelimit.compatibility.limiters;

import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Two limiters of its own, of which none is singled out. */
@SpringBootApplication
public class TwoLimitersApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(TwoLimitersApplication.class, arguments);
    }

    @Bean
    RateLimiter one() {
        return InMemoryRateLimiter.create();
    }

    @Bean
    RateLimiter other() {
        return InMemoryRateLimiter.create();
    }
}
