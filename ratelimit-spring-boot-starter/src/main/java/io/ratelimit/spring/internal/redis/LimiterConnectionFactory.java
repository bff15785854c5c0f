package io.ratelimit.spring.internal.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.event.DefaultEventBus;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;
import org.springframework.util.ReflectionUtils;
import reactor.core.scheduler.Schedulers;

/**
 * A connection factory at the place of the application's own, with its settings but for {@link LimiterClientSettings} and two
 * more. A lost connection is reconnected after 1, 2, 4 ms and so on, and then every 200 ms instead of ever more rarely. A
 * connection on which Redis has become silent is closed ({@link SilentConnectionCloser}).
 */
final class LimiterConnectionFactory extends LettuceConnectionFactory implements AutoCloseable {

    private static final Delay RECONNECT_DELAY =
            Delay.exponential(Duration.ZERO, Duration.ofMillis(200), 2, TimeUnit.MILLISECONDS);

    private final ClientResources resources;
    private final RedisConfiguration place;

    /** The one with the codec of {@link RedisConnections}; Spring Data makes it, for every kind of Redis. */
    private volatile @Nullable LettuceConnectionProvider provider;

    /** @param refused takes the cause when Redis refuses a connection that is made anew */
    static LimiterConnectionFactory like(
            LettuceConnectionFactory application, Duration timeout, Consumer<Throwable> refused) {
        LettuceClientConfiguration client = application.getClientConfiguration();
        ClientResources resources = client.getClientResources()
                .map(LimiterConnectionFactory::sharing)
                .orElseGet(ClientResources::builder)
                .reconnectDelay(RECONNECT_DELAY)
                .eventBus(new RefusedReconnects(
                        client.getClientResources()
                                .map(ClientResources::eventBus)
                                .orElseGet(() -> new DefaultEventBus(Schedulers.parallel())),
                        refused))
                .nettyCustomizer(new SilentConnectionCloser(
                        client.getClientResources()
                                .map(ClientResources::nettyCustomizer)
                                .orElseGet(() -> new NettyCustomizer() {}),
                        timeout))
                .build();
        RedisConfiguration place = ApplicationRedis.configuration(application);
        LimiterConnectionFactory factory =
                new LimiterConnectionFactory(place, LimiterClientSettings.over(client, place, resources), resources);
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    private LimiterConnectionFactory(
            RedisConfiguration place, LettuceClientConfiguration client, ClientResources resources) {
        super(place, client);
        this.resources = resources;
        this.place = place;
    }

    @Override
    protected LettuceConnectionProvider doCreateConnectionProvider(AbstractRedisClient client, RedisCodec<?, ?> codec) {
        LettuceConnectionProvider ours = super.doCreateConnectionProvider(client, StringCodec.UTF8);
        provider = ours;
        return ours;
    }

    /** Connects, and waits for that for two seconds. */
    Connected connect() {
        return new Connected(provider().getConnection(StatefulConnection.class));
    }

    /** Connects without waiting for it. Not for a Cluster, whose one connection lasts. */
    CompletionStage<Connected> connectAsync() {
        return provider().getConnectionAsync(StatefulConnection.class).thenApply(Connected::new);
    }

    /** Asks the nodes of a Cluster which of them serves which slot. */
    CompletionStage<Void> refreshTopology() {
        return ((RedisClusterClient) getRequiredNativeClient()).refreshPartitionsAsync();
    }

    /** True if the roles of the nodes are read only when it connects, so that only another connection finds a new master. */
    boolean hasFixedRoles() {
        return place instanceof RedisStaticMasterReplicaConfiguration
                || (place instanceof RedisStandaloneConfiguration
                        && getClientConfiguration().getReadFrom().isPresent());
    }

    private LettuceConnectionProvider provider() {
        return Objects.requireNonNull(provider, "started");
    }

    /** An open connection. */
    record Connected(StatefulConnection<?, ?> connection) {

        /** Returns the same connection as the limiter uses it. */
        @SuppressWarnings("unchecked") // of the codec that the provider was made with
        RedisConnections forLimiter() {
            return connection instanceof StatefulRedisClusterConnection<?, ?> cluster
                    ? RedisConnections.of((StatefulRedisClusterConnection<String, String>) cluster)
                    : RedisConnections.of((StatefulRedisConnection<String, String>) connection);
        }
    }

    boolean isCluster() {
        return getRequiredNativeClient() instanceof RedisClusterClient;
    }

    /** The name that Redis checks rights by, unless a credentials provider gives another. */
    String user() {
        return RedisConfiguration.getUsernameOrElse(place, () -> "default");
    }

    @Override
    public void close() {
        destroy();
        resources.shutdown(0, 2, TimeUnit.SECONDS);
    }

    /** Names the application's threads one by one: Lettuce shares what is named, and does not shut it down. */
    private static ClientResources.Builder sharing(ClientResources application) {
        return application
                .mutate()
                .eventLoopGroupProvider(application.eventLoopGroupProvider())
                .eventExecutorGroup(application.eventExecutorGroup())
                .commandLatencyRecorder(application.commandLatencyRecorder())
                .timer(application.timer());
    }

    /** Reads where an application's connection factory says Redis is, and the credentials for it. */
    static final class ApplicationRedis {

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
}
