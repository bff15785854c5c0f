package io.ratelimit.spring.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.ReplyProxy;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

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

        try (LimiterConnectionFactory factory = like(new LettuceConnectionFactory(place, client))) {
            LettuceConnectionFactory ours = factory;
            assertThat(ours.getHostName()).isEqualTo("redis.example");
            assertThat(ours.getPort()).isEqualTo(6380);
            assertThat(ours.getPassword()).isEqualTo("secret");
            assertThat(ours.getDatabase()).isEqualTo(3);
            assertThat(ours.getClientName()).isEqualTo("shop");
            assertThat(ours.isUseSsl()).isTrue();
        }
    }

    @Test
    void takesOverWhatIsRarelySet() {
        RedisCredentialsProviderFactory credentials = new RedisCredentialsProviderFactory() {};
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .readFrom(ReadFrom.REPLICA_PREFERRED)
                .redisCredentialsProviderFactory(credentials)
                .clientOptions(ClientOptions.builder()
                        .autoReconnect(false)
                        .suspendReconnectOnProtocolFailure(true)
                        .build())
                .useSsl()
                .startTls()
                .verifyPeer(SslVerifyMode.CA)
                .build();

        try (LimiterConnectionFactory factory =
                like(new LettuceConnectionFactory(new RedisStandaloneConfiguration("redis.example"), client))) {
            LettuceClientConfiguration ours = factory.getClientConfiguration();
            assertThat(ours.isStartTls()).isTrue();
            assertThat(ours.getVerifyMode()).isEqualTo(SslVerifyMode.CA);
            assertThat(ours.getReadFrom()).contains(ReadFrom.REPLICA_PREFERRED);
            assertThat(ours.getRedisCredentialsProviderFactory()).containsSame(credentials);
            assertThat(ours.getClientOptions()).hasValueSatisfying(options -> {
                assertThat(options.isAutoReconnect()).isTrue();
                assertThat(options.isSuspendReconnectOnProtocolFailure()).isFalse();
            });
        }
    }

    /** A millisecond may do for commands, while a handshake takes longer. */
    @Test
    void connectsHoweverShortTheTimeoutsOfTheApplicationAre() throws Exception {
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .commandTimeout(Duration.ofMillis(1))
                .clientOptions(ClientOptions.builder()
                        .socketOptions(SocketOptions.builder()
                                .connectTimeout(Duration.ofMillis(1))
                                .build())
                        .build())
                .build();
        try (RedisProcess redis = RedisProcess.start();
                ReplyProxy proxy = new ReplyProxy(redis.port());
                LimiterConnectionFactory factory = like(new LettuceConnectionFactory(
                        new RedisStandaloneConfiguration(
                                "127.0.0.1", URI.create(proxy.uri()).getPort()),
                        client))) {
            assertThat(factory.getClientConfiguration().getCommandTimeout()).isEqualTo(Duration.ofSeconds(2));
            assertThat(factory.getClientConfiguration()
                            .getClientOptions()
                            .orElseThrow()
                            .getSocketOptions()
                            .getConnectTimeout())
                    .isEqualTo(Duration.ofSeconds(2));
            assertThat(set(connected(factory))).isEqualTo("OK");
        }
    }

    @Test
    void writesToTheMasterOfReplicasThatAreNamedOneByOne() {
        try (RedisProcess master = RedisProcess.start();
                RedisProcess replica = replicaOf(master)) {
            RedisStaticMasterReplicaConfiguration place =
                    new RedisStaticMasterReplicaConfiguration("127.0.0.1", replica.port());
            place.addNode("127.0.0.1", master.port());
            writes(new LettuceConnectionFactory(place), master);
        }
    }

    @Test
    void writesToTheMasterWhereTheApplicationReadsFromReplicas() {
        try (RedisProcess master = RedisProcess.start();
                RedisProcess replica = replicaOf(master)) {
            writes(
                    new LettuceConnectionFactory(
                            new RedisStandaloneConfiguration("127.0.0.1", replica.port()),
                            LettuceClientConfiguration.builder()
                                    .readFrom(ReadFrom.REPLICA_PREFERRED)
                                    .build()),
                    master);
        }
    }

    @Test
    void connectsWithTheCredentialsOfAProvider() {
        try (RedisProcess redis = RedisProcess.start("--requirepass", "secret")) {
            LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                    .redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {
                        @Override
                        public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration place) {
                            return RedisCredentialsProvider.from(
                                    () -> RedisCredentials.just(null, "secret".toCharArray()));
                        }
                    })
                    .build();
            try (LimiterConnectionFactory factory = like(new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration("127.0.0.1", redis.port()), client))) {
                assertThat(set(connected(factory))).isEqualTo("OK");
            }
        }
    }

    @Test
    void aReplyAfterTheApplicationsTimeoutOfCommandsStillSaysWhatToRefund() throws Exception {
        Limit limit = Limit.of("ten", Algorithm.FIXED_WINDOW, 10, Duration.ofDays(300));
        Acquisition one = Acquisition.of(limit, "alice");
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .commandTimeout(Duration.ofMillis(200))
                .clientOptions(ClientOptions.builder()
                        .timeoutOptions(TimeoutOptions.enabled())
                        .build())
                .build();
        try (RedisProcess redis = RedisProcess.start();
                ReplyProxy proxy = new ReplyProxy(redis.port());
                LimiterConnectionFactory factory = like(new LettuceConnectionFactory(
                        new RedisStandaloneConfiguration(
                                "127.0.0.1", URI.create(proxy.uri()).getPort()),
                        client));
                RateLimiterStack limiter = RateLimiterStack.onRedis(connected(factory))
                        .onStoreFailure(FailurePolicy.CLOSED)
                        .timeout(Duration.ofSeconds(1))
                        .build()) {
            await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> limiter.peek(one).allowed());
            CountDownLatch held = proxy.holdReplies();
            assertThatThrownBy(() -> limiter.acquire(one)).isInstanceOf(StoreUnavailableException.class);

            held.countDown();

            await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> limiter.peek(one).remaining() == 10);
        }
    }

    /** Takes over settings for a limiter whose calls may wait for 15 s. */
    static LimiterConnectionFactory like(LettuceConnectionFactory application) {
        return LimiterConnectionFactory.like(application, Duration.ofSeconds(15), refused -> {});
    }

    /** Connects, again if that took the two seconds that it may take: a busy machine needs longer now and then. */
    static RedisConnections connected(LimiterConnectionFactory factory) {
        return await().until(
                        () -> {
                            long startNanos = System.nanoTime();
                            try {
                                return factory.connect().forLimiter();
                            } catch (RuntimeException failed) {
                                if (System.nanoTime() - startNanos < LimiterClientSettings.CONNECT_TIMEOUT.toNanos()) {
                                    throw failed;
                                }
                                return null;
                            }
                        },
                        Objects::nonNull);
    }

    private static RedisProcess replicaOf(RedisProcess master) {
        RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1", String.valueOf(master.port()));
        await().until(() ->
                replica.<String>ask(commands -> commands.info("replication")).contains("master_link_status:up"));
        return replica;
    }

    private static void writes(LettuceConnectionFactory application, RedisProcess master) {
        try (LimiterConnectionFactory factory = like(application)) {
            assertThat(set(connected(factory))).isEqualTo("OK");
            assertThat(master.<String>ask(commands -> commands.get("key"))).isEqualTo("value");
        }
    }

    /** Lettuce now and then rejects commands for a moment after it says that it is connected. */
    private static String set(RedisConnections connections) {
        return await().ignoreExceptionsInstanceOf(CompletionException.class)
                .until(
                        () -> connections
                                .commands()
                                .set("key", "value")
                                .toCompletableFuture()
                                .join(),
                        Objects::nonNull);
    }

    @Test
    void keepsNothingForLaterWhileRedisIsAway() {
        try (LimiterConnectionFactory factory = like(new LettuceConnectionFactory())) {
            assertThat(factory.getClientConfiguration().getClientOptions())
                    .hasValueSatisfying(options -> assertThat(options.getDisconnectedBehavior())
                            .isEqualTo(DisconnectedBehavior.REJECT_COMMANDS));
        }
    }

    @Test
    void endsTheThreadsItMade() {
        LimiterConnectionFactory factory = like(new LettuceConnectionFactory());
        ClientResources ours = resources(factory);

        factory.close();

        assertThat(ours.eventExecutorGroup().isShuttingDown()).isTrue();
    }

    @Test
    void leavesTheThreadsOfTheApplicationAlone() {
        DefaultClientResources applications = DefaultClientResources.create();
        LimiterConnectionFactory factory = like(new LettuceConnectionFactory(
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
        return factory.getClientConfiguration().getClientResources().orElseThrow();
    }
}
