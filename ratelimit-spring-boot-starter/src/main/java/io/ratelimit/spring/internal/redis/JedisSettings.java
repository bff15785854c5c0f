package io.ratelimit.spring.internal.redis;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/** Makes a Lettuce connection factory from the settings of an application's Jedis. */
public final class JedisSettings {

    private static final boolean JEDIS =
            ClassUtils.isPresent("redis.clients.jedis.Jedis", JedisSettings.class.getClassLoader());

    private JedisSettings() {}

    /** True for a factory of Jedis that has settings: a mock has none. */
    public static boolean areIn(RedisConnectionFactory factory) {
        return JEDIS && Translation.hasSettings(factory);
    }

    /**
     * Returns a factory with the same location, credentials, client name and plain TLS. It is not started. Timeouts are left out:
     * the limiter has its own.
     *
     * @param plainTls true if its socket factory and parameters for TLS are those of plain TLS
     * @throws InvalidRateLimitException for settings that cannot be read, such as a socket factory
     */
    public static LettuceConnectionFactory lettuce(RedisConnectionFactory jedis, boolean plainTls) {
        return Translation.of((JedisConnectionFactory) jedis, plainTls);
    }

    /** A class of its own, because Jedis is optional. */
    private static final class Translation {

        static boolean hasSettings(RedisConnectionFactory factory) {
            return factory instanceof JedisConnectionFactory jedis && jedis.getClientConfiguration() != null;
        }

        static LettuceConnectionFactory of(JedisConnectionFactory jedis, boolean plainTls) {
            JedisClientConfiguration client = jedis.getClientConfiguration();
            boolean hasOwnTls = client.getSslSocketFactory().isPresent()
                    || client.getSslParameters().isPresent();
            if ((hasOwnTls && !plainTls)
                    || client.getHostnameVerifier().isPresent()
                    || client.getCustomizer().isPresent()) {
                throw new InvalidRateLimitException(
                        MessageCode.JEDIS_SETTINGS_UNREADABLE,
                        "rate-limiter.store",
                        "the application's Jedis has TLS settings or a customizer that Lettuce, which the rate limiter"
                                + " uses, cannot take over: define a LettuceConnectionFactory marked with"
                                + " @RateLimiterConnectionFactory, or set store: in-memory");
            }
            LettuceClientConfiguration.LettuceClientConfigurationBuilder settings =
                    LettuceClientConfiguration.builder();
            client.getClientName().ifPresent(settings::clientName);
            if (client.isUseSsl()) {
                settings.useSsl();
            }
            return new LettuceConnectionFactory(place(jedis), settings.build());
        }

        private static RedisConfiguration place(JedisConnectionFactory jedis) {
            if (jedis.isRedisClusterAware()) {
                return jedis.getClusterConfiguration();
            }
            return jedis.isRedisSentinelAware() ? jedis.getSentinelConfiguration() : jedis.getStandaloneConfiguration();
        }
    }
}
