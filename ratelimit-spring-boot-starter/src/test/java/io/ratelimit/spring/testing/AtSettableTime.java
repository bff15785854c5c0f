package io.ratelimit.spring.testing;

import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.SettableClock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that brings its own limiter: in memory, at a time that the test sets. */
@Configuration(proxyBeanMethods = false)
public class AtSettableTime {

    @Bean
    SettableClock clock() {
        return new SettableClock();
    }

    @Bean
    InMemoryRateLimiter limiter(SettableClock clock) {
        return InMemoryRateLimiter.create(1000, clock);
    }
}
