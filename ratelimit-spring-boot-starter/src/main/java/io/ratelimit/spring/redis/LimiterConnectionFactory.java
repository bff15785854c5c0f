package io.ratelimit.spring.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A connection factory with the settings of the application's own (place, credentials, TLS, Sentinel, Cluster,
 * timeouts), and two of the limiter's: what is sent while Redis is away fails at once instead of being kept and charged
 * later, and the way back is tried every 200 ms instead of ever more rarely.
 */
final class LimiterConnectionFactory implements AutoCloseable {

    private static final Delay RECONNECT_DELAY = Delay.constant(Duration.ofMillis(200));

    private final LettuceConnectionFactory factory;
    private final ClientResources resources;

    LimiterConnectionFactory(LettuceConnectionFactory application) {
        LettuceClientConfiguration client = application.getClientConfiguration();
        this.resources = client.getClientResources()
                .map(LimiterConnectionFactory::sharing)
                .orElseGet(ClientResources::builder)
                .reconnectDelay(RECONNECT_DELAY)
                .build();
        this.factory = new LettuceConnectionFactory(place(application), client(client, resources));
        factory.afterPropertiesSet();
        factory.start();
    }

    LettuceConnectionFactory get() {
        return factory;
    }

    @Override
    public void close() {
        factory.destroy();
        resources.shutdown(0, 2, TimeUnit.SECONDS);
    }

    /** The application's threads, named one by one: what is named is shared, and shutting down leaves it alone. */
    private static ClientResources.Builder sharing(ClientResources application) {
        return application
                .mutate()
                .eventLoopGroupProvider(application.eventLoopGroupProvider())
                .eventExecutorGroup(application.eventExecutorGroup())
                .commandLatencyRecorder(application.commandLatencyRecorder())
                .timer(application.timer());
    }

    private static RedisConfiguration place(LettuceConnectionFactory application) {
        if (application.getClusterConfiguration() != null) {
            return application.getClusterConfiguration();
        }
        if (application.getSentinelConfiguration() != null) {
            return application.getSentinelConfiguration();
        }
        if (application.getSocketConfiguration() != null) {
            return application.getSocketConfiguration();
        }
        return application.getStandaloneConfiguration();
    }

    private static LettuceClientConfiguration client(LettuceClientConfiguration from, ClientResources resources) {
        LettuceClientConfiguration.LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
                .clientResources(resources)
                .clientOptions(from.getClientOptions()
                        .orElseGet(ClientOptions::create)
                        .mutate()
                        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                        .build())
                .commandTimeout(from.getCommandTimeout())
                .shutdownTimeout(from.getShutdownTimeout())
                .shutdownQuietPeriod(from.getShutdownQuietPeriod());
        from.getClientName().ifPresent(builder::clientName);
        if (from.isUseSsl()) {
            builder.useSsl().verifyPeer(from.getVerifyMode());
        }
        return builder.build();
    }
}
