package io.ratelimit.spring.internal.redis;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/** Where an application's connection factory says Redis is, and by which credentials. */
final class ApplicationRedis {

    /** The one place for all kinds; the factory has no accessor for a master with replicas named one by one. */
    private static final Field CONFIGURATION =
            ReflectionUtils.findField(LettuceConnectionFactory.class, "configuration", RedisConfiguration.class);

    private ApplicationRedis() {}

    static RedisConfiguration configuration(LettuceConnectionFactory application) {
        return read(CONFIGURATION, application);
    }

    static RedisConfiguration read(@Nullable Field configuration, LettuceConnectionFactory application) {
        if (configuration == null) {
            throw new InvalidRateLimitException(
                    MessageCode.LETTUCE_SETTINGS_UNREADABLE,
                    "rate-limiter.store",
                    "this version of Spring Data Redis keeps the settings of its LettuceConnectionFactory where the rate"
                            + " limiter does not find them: set rate-limiter.store to in-memory, or use a version named in"
                            + " the README");
        }
        ReflectionUtils.makeAccessible(configuration);
        return (RedisConfiguration) ReflectionUtils.getField(configuration, application);
    }
}
