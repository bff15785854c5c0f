package io.ratelimit.spring.autoconfigure;

import io.ratelimit.DecisionListener;
import io.ratelimit.LimitProvider;
import io.ratelimit.StoreListener;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RateLimiterStackCustomizer;
import io.ratelimit.spring.internal.LibraryVersion;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.stack.RateLimiterStackBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Builds the stack of any store from {@code rate-limiter.*}, listeners and customizers. */
final class ConfiguredStack {

    private static final Logger LOG = LoggerFactory.getLogger(RateLimiterAutoConfiguration.class);

    private final RateLimiterProperties properties;
    private final ObjectProvider<DecisionListener> listeners;
    private final ObjectProvider<StoreListener> storeListeners;
    private final ObjectProvider<RateLimiterStackCustomizer> customizers;
    private final Overrides overrides;
    private final ObjectProvider<LimitProvider> provider;

    ConfiguredStack(
            RateLimiterProperties properties,
            ObjectProvider<DecisionListener> listeners,
            ObjectProvider<StoreListener> storeListeners,
            ObjectProvider<RateLimiterStackCustomizer> customizers,
            Overrides overrides,
            ObjectProvider<LimitProvider> provider) {
        this.properties = properties;
        this.listeners = listeners;
        this.storeListeners = storeListeners;
        this.customizers = customizers;
        this.overrides = overrides;
        this.provider = provider;
    }

    RateLimiterStack build(RateLimiterStackBuilder stack) {
        stack.keyPrefix(properties.keyPrefix())
                .timeout(properties.timeout())
                .onStoreFailure(properties.onStoreFailure())
                .reportOnly(properties.reportOnly())
                .numbers(overrides.forStack());
        provider.ifAvailable(stack::provider);
        listeners.orderedStream().forEach(stack::listener);
        storeListeners.orderedStream().forEach(stack::storeListener);
        customizers.orderedStream().forEach(customizer -> customizer.customize(stack));
        return stack.build();
    }

    /**
     * Builds a stack that counts in memory.
     *
     * @throws InvalidRateLimitException if the application wants Redis, and has not the libraries for it
     */
    RateLimiterStack inMemory(ConfigurableListableBeanFactory beans, Environment environment) {
        if (properties.store() == RateLimiterProperties.Store.REDIS) {
            throw new InvalidRateLimitException(
                    MessageCode.REDIS_LIBRARY_MISSING,
                    "rate-limiter.store",
                    "'redis' needs Spring Data Redis and Lettuce: add the dependency"
                            + " org.springframework.boot:spring-boot-starter-data-redis, or set store: in-memory");
        }
        if (properties.store() == RateLimiterProperties.Store.AUTO && isJedisAlone(beans, environment)) {
            throw new InvalidRateLimitException(
                    MessageCode.REDIS_LIBRARY_MISSING,
                    "rate-limiter.store",
                    "'auto' is Redis, because the application says where Redis is, but needs Lettuce beside Jedis: add"
                            + " the dependency io.lettuce:lettuce-core and set spring.data.redis.client-type: jedis, so"
                            + " that all else stays with Jedis, or set store: in-memory");
        }
        RateLimiterStack stack = build(RateLimiterStack.inMemory());
        LOG.info(LibraryVersion.behind("Rate limits are counted in memory, by each instance for itself: "
                + (properties.store() == RateLimiterProperties.Store.AUTO
                        ? "spring-boot-starter-data-redis and spring.data.redis.host share them"
                        : "rate-limiter.store 'in-memory' says so")));
        return stack;
    }

    private static boolean isJedisAlone(ConfigurableListableBeanFactory beans, Environment environment) {
        ClassLoader classes = beans.getBeanClassLoader();
        return ClassUtils.isPresent("org.springframework.data.redis.connection.jedis.JedisConnectionFactory", classes)
                && ClassUtils.isPresent("redis.clients.jedis.Jedis", classes)
                && !ClassUtils.isPresent("io.lettuce.core.RedisClient", classes)
                && new RedisLocation(beans, environment).isNamed();
    }
}
