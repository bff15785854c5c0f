package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ConfiguredBanTest {

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RateLimiterAutoConfiguration.class))
            .withPropertyValues(
                    "rate-limiter.limits.login.max-requests=1",
                    "rate-limiter.limits.login.window-size=1s",
                    "rate-limiter.limits.login.ban.after=2",
                    "rate-limiter.limits.login.ban.within=10m",
                    "rate-limiter.limits.login.ban.for=1h,2d");

    @Test
    void aSubjectThatIsRefusedAgainIsBannedForTheConfiguredTime() {
        context.run(context -> {
            Limit login = context.getBean(Limits.class).get("login");
            assertThat(login)
                    .isEqualTo(Limit.of("login", login.algorithm(), 1, Duration.ofSeconds(1))
                            .withBan(2, Duration.ofMinutes(10), Duration.ofHours(1), Duration.ofDays(2)));
            RateLimiter limiter = context.getBean(RateLimiter.class);
            limiter.ban(login, "alice");

            Decision refused = limiter.acquire(Acquisition.of(login, "alice"));

            assertThat(refused.retryAfter()).isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
        });
    }
}
