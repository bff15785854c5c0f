package io.ratelimit.spring.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The first attempts to connect. */
class FirstConnectionTest {

    private static final Duration TIMEOUT = Duration.ofMillis(100);

    @Test
    void anErrorOfTheJvmIsNotTheLastAttempt() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        try (RedisProcess redis = RedisProcess.start();
                LettuceConnections connections = connections(redis.port(), () -> {
                    if (attempts.getAndIncrement() == 0) {
                        throw new NoClassDefFoundError("chosen by the test");
                    }
                })) {
            assertThatCode(connections::connect).doesNotThrowAnyException();

            assertThat(connections.commands()).isNotNull();
        }
    }

    /** Connects to that port; each attempt runs the action first. */
    private static LettuceConnections connections(int port, Runnable attempt) {
        ClientResources resources = ClientResources.builder()
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterBootstrapInitialized(Bootstrap bootstrap) {
                        attempt.run();
                    }
                })
                .build();
        return new LettuceConnections(
                new LettuceConnectionFactory(
                        new RedisStandaloneConfiguration("127.0.0.1", port),
                        LettuceClientConfiguration.builder()
                                .clientResources(resources)
                                .build()),
                TIMEOUT);
    }
}
