package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.redis.LettuceConnections;
import io.ratelimit.spring.redis.RedisStore;
import io.ratelimit.stack.RateLimiterStack;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Redis as the store, with the connection settings of the application's own Lettuce connection factory. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration", // Spring Boot 3
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration" // Spring Boot 4
        })
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@ConditionalOnClass(LettuceConnectionFactory.class)
@Conditional(OnRedisStoreCondition.class)
public final class RedisRateLimiterAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RedisStore rateLimiterRedisStore(
            RateLimiterProperties properties, Limits limits, ObjectProvider<RedisConnectionFactory> factories) {
        RedisConnectionFactory factory = factories.getIfUnique();
        if (!(factory instanceof LettuceConnectionFactory lettuce)) {
            throw new InvalidRateLimitException(
                    "rate-limiter.store",
                    ("'%s' needs one LettuceConnectionFactory, but there is %s: let Spring Boot make one (it does with"
                                    + " spring-boot-starter-data-redis), mark one @Primary, or set store: in-memory")
                            .formatted(
                                    properties.store(),
                                    factory == null
                                            ? factories.stream().count() + " connection factories"
                                            : "a " + factory.getClass().getSimpleName()));
        }
        return store(properties, limits, lettuce);
    }

    private static RedisStore store(RateLimiterProperties properties, Limits limits, LettuceConnectionFactory lettuce) {
        LettuceConnections connections = new LettuceConnections(lettuce);
        try {
            RateLimiterStack stack = RateLimiterStack.onRedis(connections)
                    .keyPrefix(properties.keyPrefix())
                    .timeout(properties.timeout())
                    .onStoreFailure(properties.onStoreFailure())
                    .reportOnly(properties.reportOnly())
                    .build();
            return new RedisStore(connections, stack, limits);
        } catch (IllegalArgumentException invalid) {
            connections.close();
            throw new InvalidRateLimitException("rate-limiter", invalid.getMessage(), invalid);
        }
    }
}
