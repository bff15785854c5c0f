package io.ratelimit.sample.playground;

import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.SettableClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** The sample at a time that goes on only as requests ask for it, so that no machine is too slow for a burst. */
@TestConfiguration(proxyBeanMethods = false)
class VirtualTime {

    @Bean
    SettableClock clock() {
        return new SettableClock();
    }

    @Bean
    RateLimiter limiter(SettableClock clock) {
        return InMemoryRateLimiter.create(1000, clock);
    }

    @Bean
    @Primary
    StoreClock storeClock(RateLimiter limiter, SettableClock clock) {
        return new StoreClock(limiter) {
            @Override
            void waitUntil(long micros) {
                synchronized (clock) {
                    clock.advance(Duration.of(Math.max(0, micros - nowMicros()), ChronoUnit.MICROS));
                }
            }
        };
    }
}
