package io.ratelimit.spring.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

class JedisSettingsTest {

    @Test
    void timeoutsThatAreNoLimitToJedisAreNoneOfTheLimiters() {
        JedisClientConfiguration patient = JedisClientConfiguration.builder()
                .connectTimeout(Duration.ZERO)
                .readTimeout(Duration.ZERO)
                .build();
        JedisConnectionFactory jedis =
                new JedisConnectionFactory(new RedisStandaloneConfiguration("redis.example"), patient);

        try (LimiterConnectionFactory factory =
                LimiterConnectionFactoryTest.like(JedisSettings.lettuce(jedis, false))) {
            assertThat(factory.getHostName()).isEqualTo("redis.example");
            assertThat(factory.getClientConfiguration().getCommandTimeout()).isEqualTo(Duration.ofSeconds(2));
        }
    }

    @Test
    void plainTlsIsTakenOverAlsoWhereJedisHasASocketFactoryForIt() {
        JedisClientConfiguration ofProperty = JedisClientConfiguration.builder()
                .useSsl()
                .sslSocketFactory((SSLSocketFactory) SSLSocketFactory.getDefault())
                .sslParameters(new SSLParameters())
                .build();
        JedisConnectionFactory jedis =
                new JedisConnectionFactory(new RedisStandaloneConfiguration("redis.example"), ofProperty);

        assertThat(JedisSettings.lettuce(jedis, true).isUseSsl()).isTrue();
    }
}
