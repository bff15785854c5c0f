package io.ratelimit.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.autoconfigure.RateLimitedAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimiterAutoConfiguration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

/** Spring's own retries come before all other advice, unless something moves them. */
class RetryTest {

    static class Flaky {
        private final AtomicInteger asked = new AtomicInteger();
        private final AtomicInteger runs = new AtomicInteger();

        public String subject() {
            asked.incrementAndGet();
            return "all";
        }

        @Retryable(maxRetries = 2, delay = 1)
        @RateLimited(maxRequests = "1", key = "@flaky.subject()")
        public void call() {
            runs.incrementAndGet();
            throw new IllegalStateException("again");
        }

        public int asked() {
            return asked.get();
        }

        public int runs() {
            return runs.get();
        }
    }

    @ImportAutoConfiguration({RateLimiterAutoConfiguration.class, RateLimitedAutoConfiguration.class})
    @EnableResilientMethods
    @Configuration(proxyBeanMethods = false)
    static class Limited {
        @Bean
        Flaky flaky() {
            return new Flaky();
        }
    }

    @Test
    void retriesTheMethodAndNotTheRefusal() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Limited.class)) {
            Flaky flaky = context.getBean(Flaky.class);
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(flaky::call);
            assertThat(flaky.runs()).isEqualTo(3);

            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(flaky::call);

            assertThat(flaky.asked()).isEqualTo(2);
        }
    }

    @Test
    void chargesEachAttemptWhereTheLimitsComeLast() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            TestPropertyValues.of("rate-limiter.order=2147483647").applyTo(context);
            context.register(Limited.class);
            context.refresh();
            Flaky flaky = context.getBean(Flaky.class);

            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(flaky::call);

            assertThat(flaky.runs()).isEqualTo(1);
            assertThat(flaky.asked()).isEqualTo(3);
        }
    }
}
