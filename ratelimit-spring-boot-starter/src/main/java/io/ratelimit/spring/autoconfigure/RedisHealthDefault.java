package io.ratelimit.spring.autoconfigure;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.env.EnvironmentPostProcessor;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * An application that names no Redis is not down because there is none: this starter brings Spring Data Redis along,
 * and with it a health check of localhost. Any {@code management.health.redis.enabled} of the application's own wins.
 */
final class RedisHealthDefault implements EnvironmentPostProcessor {

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (!OnRedisStoreCondition.isNamedByProperty(environment)) {
            environment
                    .getPropertySources()
                    .addLast(new MapPropertySource(
                            "rateLimiterRedisHealth", Map.of("management.health.redis.enabled", "false")));
        }
    }
}
