package io.ratelimit.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connects to none: what is taken over from the application, and what is given back. */
class LimiterConnectionFactoryTest {

    @Test
    void takesOverPlaceCredentialsAndClientSettings() {
        RedisStandaloneConfiguration place = new RedisStandaloneConfiguration("redis.example", 6380);
        place.setPassword("secret");
        place.setDatabase(3);
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .commandTimeout(Duration.ofSeconds(7))
                .clientName("shop")
                .useSsl()
                .build();

        try (LimiterConnectionFactory factory =
                new LimiterConnectionFactory(new LettuceConnectionFactory(place, client))) {
            LettuceConnectionFactory ours = factory.get();
            assertThat(ours.getHostName()).isEqualTo("redis.example");
            assertThat(ours.getPort()).isEqualTo(6380);
            assertThat(ours.getPassword()).isEqualTo("secret");
            assertThat(ours.getDatabase()).isEqualTo(3);
            assertThat(ours.getTimeout()).isEqualTo(7_000);
            assertThat(ours.getClientName()).isEqualTo("shop");
            assertThat(ours.isUseSsl()).isTrue();
        }
    }

    @Test
    void keepsNothingForLaterWhileRedisIsAway() {
        try (LimiterConnectionFactory factory = new LimiterConnectionFactory(new LettuceConnectionFactory())) {
            assertThat(factory.get().getClientConfiguration().getClientOptions())
                    .hasValueSatisfying(options -> assertThat(options.getDisconnectedBehavior())
                            .isEqualTo(DisconnectedBehavior.REJECT_COMMANDS));
        }
    }

    @Test
    void endsTheThreadsItMade() {
        LimiterConnectionFactory factory = new LimiterConnectionFactory(new LettuceConnectionFactory());
        ClientResources ours = resources(factory);

        factory.close();

        assertThat(ours.eventExecutorGroup().isShuttingDown()).isTrue();
    }

    @Test
    void leavesTheThreadsOfTheApplicationAlone() {
        DefaultClientResources applications = DefaultClientResources.create();
        LimiterConnectionFactory factory = new LimiterConnectionFactory(new LettuceConnectionFactory(
                new RedisStandaloneConfiguration(),
                LettuceClientConfiguration.builder()
                        .clientResources(applications)
                        .build()));
        assertThat(resources(factory).eventExecutorGroup()).isSameAs(applications.eventExecutorGroup());

        factory.close();

        assertThat(applications.eventExecutorGroup().isShuttingDown()).isFalse();
        applications.shutdown(0, 1, TimeUnit.SECONDS);
    }

    private static ClientResources resources(LimiterConnectionFactory factory) {
        return factory.get().getClientConfiguration().getClientResources().orElseThrow();
    }
}
