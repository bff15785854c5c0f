package io.ratelimit.spring.autoconfigure;

import io.lettuce.core.RedisClient;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RateLimiterConnectionFactory;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.Store;
import io.ratelimit.spring.internal.BeanOrigin;
import io.ratelimit.spring.internal.Warning;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.spring.internal.redis.JedisSettings;
import io.ratelimit.spring.internal.redis.LettuceConnections;
import io.ratelimit.spring.internal.redis.RedisStore;
import io.ratelimit.stack.RateLimiterStack;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Redis as the store, with the connection settings of the application's own Lettuce connection factory. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration", // Spring Boot 3
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration" // Spring Boot 4
        })
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@ConditionalOnClass({LettuceConnectionFactory.class, RedisClient.class})
public final class RedisRateLimiterAutoConfiguration {

    private static final String REMEDY =
            "mark one bean of them with @RateLimiterConnectionFactory or @Primary, define one where there is none, or set"
                    + " rate-limiter.store to in-memory";

    /** Null where counts live in memory. */
    @Bean
    @ConditionalOnMissingBean(RateLimiter.class)
    @Nullable
    RedisStore rateLimiterRedisStore(
            RateLimiterProperties properties,
            Limits limits,
            ConfiguredStack stack,
            Overrides overrides,
            ConfigurableListableBeanFactory beans,
            Environment environment,
            @RateLimiterConnectionFactory ObjectProvider<RedisConnectionFactory> marked,
            ObjectProvider<RedisConnectionFactory> all) {
        Store store = properties.store();
        RedisLocation location = new RedisLocation(beans, environment);
        if (store == Store.IN_MEMORY || (store == Store.AUTO && !location.isNamed())) {
            return null;
        }
        RedisConnectionFactory factory = behindProxies(marked.getIfUnique(all::getIfUnique));
        LettuceConnectionFactory lettuce = lettuce(factory, location);
        if (lettuce != null) {
            return store(
                    new LettuceConnections(lettuce, properties.timeout()), properties, limits, stack, overrides, beans);
        }
        String found = factory == null
                ? all.stream().count() + " connection factories"
                : "a %s (of another client, or a mock)"
                        .formatted(factory.getClass().getSimpleName());
        if (store == Store.REDIS) {
            throw new InvalidRateLimitException(
                    MessageCode.CONNECTION_FACTORY_UNCLEAR,
                    "rate-limiter.store",
                    "'redis' needs one connection factory of Lettuce or Jedis, but there is %s: %s"
                            .formatted(found, REMEDY));
        }
        new Warning(MessageCode.CONNECTION_FACTORY_IGNORED)
                .log(
                        "rate-limiter.store 'auto' counts in memory, by each instance for itself, because there is {} where one"
                                + " of Lettuce or Jedis is needed: {}",
                        found,
                        REMEDY);
        return null;
    }

    /** Returns the factory behind proxies, such as that of a scope: its fields are read, and those of a proxy are empty. */
    private static @Nullable RedisConnectionFactory behindProxies(@Nullable RedisConnectionFactory factory) {
        RedisConnectionFactory target = factory;
        while (target instanceof Advised proxy) {
            try {
                target = (RedisConnectionFactory) proxy.getTargetSource().getTarget();
            } catch (Exception missing) {
                throw new IllegalStateException("the connection factory behind a proxy cannot be made", missing);
            }
        }
        return target;
    }

    /** Returns null for a factory of another client, and for a mock, which has no settings. */
    private static @Nullable LettuceConnectionFactory lettuce(
            @Nullable RedisConnectionFactory factory, RedisLocation location) {
        if (factory instanceof LettuceConnectionFactory lettuce) {
            return lettuce.getClientConfiguration() == null ? null : lettuce;
        }
        return factory != null && JedisSettings.areIn(factory)
                ? JedisSettings.lettuce(factory, location.hasPlainTls())
                : null;
    }

    private static RedisStore store(
            LettuceConnections connections,
            RateLimiterProperties properties,
            Limits limits,
            ConfiguredStack stack,
            Overrides overrides,
            ConfigurableListableBeanFactory beans) {
        try {
            return new RedisStore(
                    connections,
                    () -> stack.build(RateLimiterStack.onRedis(connections)),
                    limits,
                    overrides,
                    properties.keyPrefix(),
                    properties.timeout(),
                    () -> isInjected(beans));
        } catch (RuntimeException invalid) {
            connections.close();
            throw invalid;
        }
    }

    private static boolean isInjected(ConfigurableListableBeanFactory beans) {
        return Arrays.stream(beans.getBeanNamesForType(RateLimiter.class, true, false))
                .flatMap(name -> Arrays.stream(beans.getDependentBeans(name)))
                .anyMatch(user -> !BeanOrigin.isOurs(beans, user));
    }
}
