package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Limit;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.memory.MicrosClock;
import io.ratelimit.spring.RateLimiterStackCustomizer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

@HowTo("tuning")
@Import(TuningTest.Configuration.class)
class TuningTest {

    @TestConfiguration
    static class Configuration {

        @Bean
        RateLimiterStackCustomizer moreSubjects() {
            return stack -> stack.memory(InMemoryRateLimiter.create(1_000_000, MicrosClock.steady()));
        }
    }

    @Test
    void aHotLimitHasALease(@Autowired @Qualifier("hot") Limit hot, @Autowired Environment environment) {
        assertThat(hot.lease()).isEqualTo(100);
        assertThat(environment.getProperty("rate-limiter.timeout", Duration.class))
                .isEqualTo(Duration.ofMillis(50));
    }
}
