package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.testing.Contexts;
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

    @Test
    void theLimitNamedDefaultAndThatOfARouteMayBan() {
        Contexts.web()
                .withPropertyValues(
                        "rate-limiter.max-requests=5",
                        "rate-limiter.ban.after=2",
                        "rate-limiter.ban.within=600",
                        "rate-limiter.ban.for=1h,2d",
                        "rate-limiter.routes.login.paths=/login",
                        "rate-limiter.routes.login.max-requests=5",
                        "rate-limiter.routes.login.count=failures",
                        "rate-limiter.routes.login.ban.after=2",
                        "rate-limiter.routes.login.ban.within=600",
                        "rate-limiter.routes.login.ban.for=1h,2d")
                .run(context -> {
                    Limit plain = Limit.of("default", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMinutes(1))
                            .withBan(2, Duration.ofMinutes(10), Duration.ofHours(1), Duration.ofDays(2));
                    assertThat(context.getBean(Limits.class).get("default")).isEqualTo(plain);
                    Routes routes = context.getBean(Routes.class);
                    Limit ofRoute =
                            routes.routes().get(0).rules().get(0).limits().get(0);
                    assertThat(ofRoute.ban())
                            .hasValue(plain.banningFailures().ban().orElseThrow());
                });
    }

    @Test
    void theBanOfTheLimitNamedDefaultCountsWhatThatCounts() {
        Contexts.plain()
                .withPropertyValues(
                        "rate-limiter.max-requests=5",
                        "rate-limiter.count=failures",
                        "rate-limiter.ban.after=2",
                        "rate-limiter.ban.within=600",
                        "rate-limiter.ban.for=1h")
                .run(context -> {
                    Limit limit = context.getBean(Limits.class).get("default");
                    assertThat(limit).isEqualTo(limit.banningFailures()).isNotEqualTo(limit.banningRefusals());
                });
    }

    @Test
    void aBanCountsWhatTheLimitCounts() {
        context.withPropertyValues("rate-limiter.limits.login.count=failures").run(context -> {
            Limit login = context.getBean(Limits.class).get("login");
            assertThat(login).isEqualTo(login.banningFailures()).isNotEqualTo(login.banningRefusals());
        });
    }
}
