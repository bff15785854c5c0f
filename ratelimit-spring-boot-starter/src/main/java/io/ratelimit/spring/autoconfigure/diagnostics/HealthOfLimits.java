package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.FailurePolicy;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import io.ratelimit.stack.RateLimiterStack;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** A health check of a Redis that only limits use: an outage would take down an application that could go on. */
final class HealthOfLimits {

    private static final String FACTORY = "redisConnectionFactory";
    private static final Set<String> CHECKS = Set.of("redisHealthContributor", "redisReactiveHealthContributor");

    /** Bean names of what Spring Boot defines beside any connection factory, whether it is used or not. */
    private static final Set<String> ALWAYS_THERE = Set.of(
            "redisTemplate",
            "stringRedisTemplate",
            "reactiveRedisTemplate",
            "reactiveStringRedisTemplate",
            "redisKeyValueAdapter",
            "redisKeyValueTemplate",
            "rateLimiterRedisStore");

    private final RateLimiterProperties properties;
    private final Supplier<@Nullable RateLimiter> limiter;
    private final ConfigurableListableBeanFactory beans;

    HealthOfLimits(
            RateLimiterProperties properties,
            Supplier<@Nullable RateLimiter> limiter,
            ConfigurableListableBeanFactory beans) {
        this.properties = properties;
        this.limiter = limiter;
        this.beans = beans;
    }

    List<String> findings() {
        boolean goesOn = limiter.get() instanceof RateLimiterStack stack
                && stack.isShared()
                && properties.onStoreFailure() != FailurePolicy.CLOSED;
        boolean checked = CHECKS.stream().anyMatch(beans::containsBean);
        return !goesOn || !checked || !beans.containsBean(FACTORY) || isUsed(FACTORY)
                ? List.of()
                : List.of(
                        ("a Redis outage turns /actuator/health to 503, although rate-limiter.on-store-failure '%s' goes on,"
                                        + " and nothing but limits uses this Redis. Set management.health.redis.enabled to false,"
                                        + " or see docs/redis.md")
                                .formatted(properties.onStoreFailure().name().toLowerCase(Locale.ROOT)));
    }

    private boolean isUsed(String name) {
        return Arrays.stream(beans.getDependentBeans(name))
                .anyMatch(user -> !CHECKS.contains(user) && (!ALWAYS_THERE.contains(user) || isUsed(user)));
    }
}
