package io.ratelimit.spring.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.testing.TestRedis;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.data.redis.RedisHealthContributorAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

/** A health check that takes an application down for a Redis that it could do without. */
class HealthOfLimitsTest {

    record Cart(StringRedisTemplate redis) {}

    @Test
    void warnsWhereNothingButLimitsUsesTheCheckedRedis() {
        assertThat(warnings(contexts -> contexts))
                .singleElement()
                .asString()
                .contains(
                        "/actuator/health to 503",
                        "rate-limiter.on-store-failure 'local'",
                        "management.health.redis.enabled");
    }

    @Test
    void saysNothingWhereTheApplicationUsesItToo() {
        assertThat(warnings(contexts -> contexts.withBean(Cart.class))).isEmpty();
    }

    @Test
    void saysNothingWhereAnOutageStopsRequestsAnyway() {
        assertThat(warnings(contexts -> contexts.withPropertyValues("rate-limiter.on-store-failure=closed")))
                .isEmpty();
    }

    @Test
    void saysNothingWhereTheCheckIsOff() {
        assertThat(warnings(contexts -> contexts.withPropertyValues("management.health.redis.enabled=false")))
                .isEmpty();
    }

    @Test
    void saysNothingWhereCountsAreInMemory() {
        assertThat(warnings(contexts -> contexts.withPropertyValues("rate-limiter.store=in-memory")))
                .isEmpty();
    }

    private static List<String> warnings(UnaryOperator<WebApplicationContextRunner> application) {
        try (LogCapture log = LogCapture.start()) {
            application
                    .apply(Contexts.web()
                            .withConfiguration(AutoConfigurations.of(RedisHealthContributorAutoConfiguration.class))
                            .withPropertyValues(
                                    "spring.main.cloud-platform=none",
                                    "spring.data.redis.url=" + TestRedis.uri(),
                                    "rate-limiter.max-requests=5"))
                    .run(context -> assertThat(context).hasNotFailed());
            return log.messages(Level.WARN).stream()
                    .filter(warning -> warning.contains("/actuator/health"))
                    .toList();
        }
    }
}
