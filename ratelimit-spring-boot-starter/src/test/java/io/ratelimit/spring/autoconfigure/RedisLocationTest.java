package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** When counts live in Redis; connects to none. */
class RedisLocationTest {

    @Configuration(proxyBeanMethods = false)
    static class OwnFactory {

        @Bean
        LettuceConnectionFactory redisConnectionFactory() {
            return new LettuceConnectionFactory("redis", 6379);
        }
    }

    private final ApplicationContextRunner contexts =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RedisAutoConfiguration.class));

    @Test
    void whatSpringBootConfiguresByDefaultSaysNothing() {
        contexts.run(context -> {
            assertThat(context).hasSingleBean(LettuceConnectionFactory.class);
            assertThat(isNamed(context)).isFalse();
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
                .run(context -> assertThat(isNamed(context)).isTrue());
    }

    @ParameterizedTest
    @ValueSource(strings = {"password=secret", "database=3", "timeout=1s", "lettuce.pool.enabled=false"})
    void settingsThatSayNotWhereRedisIsDoNot(String setting) {
        contexts.withPropertyValues("spring.data.redis." + setting)
                .run(context -> assertThat(isNamed(context)).isFalse());
    }

    @Test
    void anApplicationsOwnConnectionFactoryDecides() {
        contexts.withBean("own", LettuceConnectionFactory.class, () -> new LettuceConnectionFactory("redis", 6379))
                .run(context -> assertThat(isNamed(context)).isTrue());
        contexts.withUserConfiguration(OwnFactory.class)
                .run(context -> assertThat(isNamed(context)).isTrue());
    }

    @Test
    void anApplicationsOwnConnectionDetailsDecide() {
        contexts.withBean(RedisConnectionDetails.class, Details::new)
                .run(context -> assertThat(isNamed(context)).isTrue());
    }

    private static boolean isNamed(AssertableApplicationContext context) {
        return new RedisLocation(context.getSourceApplicationContext().getBeanFactory(), context.getEnvironment())
                .isNamed();
    }

    static final class Details implements RedisConnectionDetails {
        @Override
        public Standalone getStandalone() {
            RedisURI uri = RedisURI.create("redis://redis:6379");
            return Standalone.of(uri.getHost(), uri.getPort());
        }
    }
}
