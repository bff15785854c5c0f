package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Conditional;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** When counts live in Redis; connects to none. */
class StoreConditionTest {

    @AutoConfiguration(after = RedisAutoConfiguration.class)
    @Conditional(OnRedisStoreCondition.class)
    static class CountsInRedis {}

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RedisAutoConfiguration.class, CountsInRedis.class));

    @Test
    void whatSpringBootConfiguresByDefaultSaysNothing() {
        contexts.run(context -> {
            assertThat(context).hasSingleBean(LettuceConnectionFactory.class);
            assertThat(context).doesNotHaveBean(CountsInRedis.class);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "host=redis",
                "port=6380",
                "url=redis://redis:6379",
                "sentinel.master=main,sentinel.nodes=one:26379",
                "cluster.nodes=one:6379",
                "cluster.nodes[0]=one:6379"
            })
    void anyPropertyThatSaysWhereRedisIsDecides(String location) {
        String[] properties = location.replaceAll("(^|,)(?=[a-z.\\[\\]0-9]+=)", "$1spring.data.redis.")
                .split(",", -1);

        contexts.withPropertyValues(properties)
                .run(context -> assertThat(context).hasSingleBean(CountsInRedis.class));
        contexts.withPropertyValues(properties)
                .withPropertyValues("rate-limiter.store=in-memory")
                .run(context -> assertThat(context).doesNotHaveBean(CountsInRedis.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"password=secret", "database=3", "timeout=1s", "lettuce.pool.enabled=false"})
    void settingsThatSayNotWhereRedisIsDoNot(String setting) {
        contexts.withPropertyValues("spring.data.redis." + setting)
                .run(context -> assertThat(context).doesNotHaveBean(CountsInRedis.class));
    }

    @Test
    void anApplicationsOwnConnectionFactoryDecides() {
        contexts.withBean("own", LettuceConnectionFactory.class, () -> new LettuceConnectionFactory("redis", 6379))
                .run(context -> assertThat(context).hasSingleBean(CountsInRedis.class));
    }

    @Test
    void anApplicationsOwnConnectionDetailsDecide() {
        contexts.withBean(RedisConnectionDetails.class, Details::new)
                .run(context -> assertThat(context).hasSingleBean(CountsInRedis.class));
    }

    @Test
    void theStoreCanBeNamedOutright() {
        contexts.withPropertyValues("rate-limiter.store=redis")
                .run(context -> assertThat(context).hasSingleBean(CountsInRedis.class));
        contexts.withPropertyValues("rate-limiter.store=auto")
                .run(context -> assertThat(context).doesNotHaveBean(CountsInRedis.class));
    }

    static final class Details implements RedisConnectionDetails {
        @Override
        public Standalone getStandalone() {
            RedisURI uri = RedisURI.create("redis://redis:6379");
            return Standalone.of(uri.getHost(), uri.getPort());
        }
    }
}
