package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.autoconfigure.RateLimiterAutoConfiguration;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.test.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class InCodeTest {

    private final TestClock clock = new TestClock();
    private final RateLimiter limiter = InMemoryRateLimiter.create(1_000, clock);

    @Test
    void aLimiterWithoutSpring() {
        try (RateLimiterStack limiter = RateLimiterStack.inMemory().build()) {
            Limit mails = Limit.of("mails", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofHours(1));
            Decision decision = limiter.acquire(Acquisition.of(mails, "alice"));
            assertThat(decision.allowed()).isTrue();
            assertThat(decision.remaining()).isEqualTo(99);
        }
    }

    @Test
    void peekRefundAndReset() {
        Limit exports = Limit.of("exports", Algorithm.FIXED_WINDOW, 10, Duration.ofHours(1));
        Acquisition export = Acquisition.of(exports, "alice", 4);

        Decision charged = limiter.acquire(export);
        assertThat(charged.remaining()).isEqualTo(6);

        assertThat(limiter.peek(Acquisition.of(exports, "alice")).remaining()).isEqualTo(6);

        limiter.refund(export, charged);
        assertThat(limiter.peek(Acquisition.of(exports, "alice")).remaining()).isEqualTo(10);

        limiter.acquire(export);
        limiter.reset(exports, "alice");
        assertThat(limiter.peek(Acquisition.of(exports, "alice")).remaining()).isEqualTo(10);
    }

    @Test
    void severalLimitsAndSubjectsAreOneDecision() {
        Limit user = Limit.of("user", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1))
                .withBurst(20);
        Limit tenant = Limit.of("tenant", Algorithm.SLIDING_WINDOW_COUNTER, 1_000, Duration.ofHours(1));

        Decision decision = limiter.acquire(Acquisition.of(user, "alice").and(tenant, "acme", 50));

        assertThat(decision.limits()).extracting(status -> status.remaining()).containsExactly(19L, 950L);
    }

    @Test
    void takesWhatIsLeft() {
        Limit perMinute = Limit.of("per-minute", Algorithm.SLIDING_WINDOW_LOG, 40, Duration.ofMinutes(1));
        Limit perDay = Limit.of("per-day", Algorithm.FIXED_WINDOW, 25, Duration.ofDays(1));

        Acquisition mail = Acquisition.of(perMinute, "acme").and(perDay, "acme");
        Decision decision = limiter.acquireUpTo(mail, 100);
        assertThat(decision.taken()).isEqualTo(25); // 40 were left of the minute, 25 of the day

        assertThat(limiter.peek(Acquisition.of(perMinute, "acme")).remaining()).isEqualTo(15);
    }

    @Test
    void limitsOfTheConfigurationAreBeans() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RateLimiterAutoConfiguration.class))
                .withPropertyValues("rate-limiter.limits.hourly.max-requests=7")
                .withBean(Exports.class)
                .run(context ->
                        assertThat(context.getBean(Exports.class).left()).isEqualTo(7));
    }

    static class Exports {

        private final RateLimiter limiter;
        private final Limit hourly;

        Exports(RateLimiter limiter, @Qualifier("hourly") Limit hourly) {
            this.limiter = limiter;
            this.hourly = hourly;
        }

        long left() {
            return limiter.peek(Acquisition.of(hourly, "alice")).remaining();
        }
    }
}
