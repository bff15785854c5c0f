package io.ratelimit.spring.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.redis.LimiterConnectionFactory.ApplicationRedis;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.LooksUpLimits;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.TestRedis;
import java.util.List;
import javax.net.ssl.SSLSocketFactory;
import org.springframework.boot.actuate.autoconfigure.data.redis.RedisHealthContributorAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Applications with something wrong about Redis, and what they log until there is a warning of the given code. */
public final class RedisMistakes {

    private static final ApplicationContextRunner CONTEXTS = Contexts.plain()
            .withBean(LooksUpLimits.class)
            .withPropertyValues(
                    "rate-limiter.max-requests=5", "rate-limiter.timeout=15s", "spring.data.redis.host=127.0.0.1");

    private RedisMistakes() {}

    public static ApplicationContextRunner twoFactories(String store) {
        return CONTEXTS.withPropertyValues("rate-limiter.store=" + store)
                .withBean("one", LettuceConnectionFactory.class, LettuceConnectionFactory::new)
                .withBean("two", LettuceConnectionFactory.class, LettuceConnectionFactory::new);
    }

    public static ApplicationContextRunner jedisWithSocketFactory() {
        return CONTEXTS.withBean(
                JedisConnectionFactory.class,
                () -> new JedisConnectionFactory(
                        new RedisStandaloneConfiguration(),
                        JedisClientConfiguration.builder()
                                .useSsl()
                                .sslSocketFactory((SSLSocketFactory) SSLSocketFactory.getDefault())
                                .build()));
    }

    public static Throwable unreadableSettings() {
        return catchThrowable(() -> ApplicationRedis.read(null, new LettuceConnectionFactory()));
    }

    public static WebApplicationContextRunner checkedForHealth(WebApplicationContextRunner contexts) {
        return contexts.withConfiguration(AutoConfigurations.of(RedisHealthContributorAutoConfiguration.class))
                .withPropertyValues("spring.data.redis.url=" + TestRedis.uri(), "rate-limiter.max-requests=5");
    }

    public static List<String> unreachable(MessageCode code) {
        try (LogCapture log = LogCapture.start()) {
            CONTEXTS.withPropertyValues("spring.data.redis.port=1").run(context -> {
                context.getBean(RateLimiter.class)
                        .acquire(Acquisition.of(context.getBean(Limits.class).get("default"), "alice"));
                awaitWarning(code, log);
            });
            return log.messages(Level.WARN);
        }
    }

    public static List<String> silent(MessageCode code) {
        try (RedisProcess redis = RedisProcess.start()) {
            redis.signal("STOP");
            return warnings(code, redis);
        }
    }

    public static List<String> refuses(MessageCode code) {
        try (RedisProcess redis = DocumentedRights.startRedis("-evalsha")) {
            return warnings(code, redis, "spring.data.redis.username=limiter", "spring.data.redis.password=secret");
        }
    }

    public static List<String> evicts(MessageCode code) {
        try (RedisProcess redis = RedisProcess.start("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru")) {
            return warnings(code, redis);
        }
    }

    private static List<String> warnings(MessageCode code, RedisProcess redis, String... properties) {
        try (LogCapture log = LogCapture.start()) {
            CONTEXTS.withPropertyValues("spring.data.redis.port=" + redis.port())
                    .withPropertyValues(properties)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        awaitWarning(code, log);
                    });
            return log.messages(Level.WARN);
        }
    }

    private static void awaitWarning(MessageCode code, LogCapture log) {
        await().until(() -> log.messages(Level.WARN).stream().anyMatch(line -> line.startsWith(code.toString())));
    }
}
