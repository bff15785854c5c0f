package io.ratelimit.spring.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.SlotHash;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.RedisClusterProcess;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.RedisSentinelProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Masters that die or hang and are replaced, where the application has no setting for the refresh of a topology. */
@Tag("slow")
@Tag("alone")
class LostMasterTest {

    private static final Logger LOG = LoggerFactory.getLogger(LostMasterTest.class);
    private static final Duration QUIET = Duration.ofSeconds(3);
    private static final Duration TIMEOUT = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(40);
    private static final Acquisition ONE =
            Acquisition.of(Limit.of("many", Algorithm.FIXED_WINDOW, 1_000_000, Duration.ofDays(300)), "alice");

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "STOP"})
    void aClustersNewMasterDecidesSoonAfterItsPromotion(String signal) throws Exception {
        try (RedisClusterProcess cluster = RedisClusterProcess.start()) {
            RedisProcess master = cluster.masterOf(SlotHash.getSlot("alice"));
            RedisProcess replica = cluster.addReplicaOf(master);
            RedisClusterConfiguration place = Places.ofCluster(cluster.uri());

            Duration exactAfter = exactAfter(new LettuceConnectionFactory(place), master, signal, replica);

            LOG.info("Cluster, {}: exact {} ms after the promotion", signal, exactAfter.toMillis());
            assertThat(exactAfter).isLessThan(Duration.ofSeconds(3));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "STOP"})
    void theMasterThatSentinelPromotesDecides(String signal) throws Exception {
        try (RedisSentinelProcess redis = RedisSentinelProcess.start().noticingSoon()) {
            RedisSentinelConfiguration place = Places.of(redis);

            Duration exactAfter =
                    exactAfter(new LettuceConnectionFactory(place), redis.master(), signal, redis.replica());

            LOG.info("Sentinel, {}: exact {} ms after the promotion", signal, exactAfter.toMillis());
            assertThat(exactAfter).isLessThan(Duration.ofSeconds(9));
        }
    }

    /** Lettuce learns of the new roles some seconds after the promotion there. */
    @Test
    void theMasterThatSentinelPromotesDecidesWhereReplicasAreRead() throws Exception {
        try (RedisSentinelProcess redis = RedisSentinelProcess.start().noticingSoon()) {
            RedisSentinelConfiguration place = Places.of(redis);
            LettuceClientConfiguration reading = LettuceClientConfiguration.builder()
                    .readFrom(ReadFrom.REPLICA_PREFERRED)
                    .build();

            Duration exactAfter =
                    exactAfter(new LettuceConnectionFactory(place, reading), redis.master(), "KILL", redis.replica());

            LOG.info("Sentinel, replicas are read: exact {} ms after the promotion", exactAfter.toMillis());
            assertThat(exactAfter).isLessThan(Duration.ofSeconds(9));
        }
    }

    @Test
    void theOthersTellTheTopologyWhereOnlyTheLostMasterIsNamedAndAsked() throws Exception {
        try (RedisClusterProcess cluster = RedisClusterProcess.start()) {
            RedisProcess master = cluster.masterOf(SlotHash.getSlot("alice"));
            RedisProcess replica = cluster.addReplicaOf(master);
            RedisClusterConfiguration place = Places.ofCluster(master.uri());
            LettuceClientConfiguration asking = LettuceClientConfiguration.builder()
                    .clientOptions(ClusterClientOptions.builder()
                            .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                                    .dynamicRefreshSources(false)
                                    .build())
                            .build())
                    .build();

            Duration exactAfter = exactAfter(new LettuceConnectionFactory(place, asking), master, "KILL", replica);

            LOG.info("Cluster, only the lost node is named: exact {} ms after the promotion", exactAfter.toMillis());
            assertThat(exactAfter).isLessThan(Duration.ofSeconds(3));
        }
    }

    /** Lettuce 6 keeps what it has sent to the old master for as long as that does not come back. */
    @Test
    void aSlotOfACallThatEndsInAHangIsFreeOnTheNewMaster() throws Exception {
        Acquisition slot = Acquisition.of(Limit.of("slots", Algorithm.CONCURRENCY, 1, Duration.ofHours(1)), "alice");
        try (RedisClusterProcess cluster = RedisClusterProcess.start()) {
            RedisProcess master = cluster.masterOf(SlotHash.getSlot("alice"));
            RedisProcess replica = cluster.addReplicaOf(master);
            RedisClusterConfiguration place = Places.ofCluster(cluster.uri());
            try (LettuceConnections connections = new LettuceConnections(new LettuceConnectionFactory(place), TIMEOUT);
                    RateLimiterStack limiter =
                            RateLimiterStack.onRedis(connections).build()) {
                connections.connect();
                await().until(() -> isDecided(limiter));
                Decision decision = limiter.acquire(slot);
                assertThat(decision.source()).isEqualTo(Decision.Source.STORE);
                await().until(() -> replica.<Long>ask(RedisCommands::dbsize) > 1);
                master.signal("STOP");

                limiter.releaseAsync(slot, decision);

                await().atMost(LONGEST).until(() -> isDecided(limiter) && isFree(limiter, slot));
            } finally {
                master.signal("CONT");
            }
        }
    }

    private static boolean isFree(RateLimiterStack limiter, Acquisition slot) {
        Decision decision = limiter.peek(slot);
        return decision.source() == Decision.Source.STORE && decision.allowed();
    }

    /** Returns the time from the promotion to the last call that Redis did not decide. */
    private static Duration exactAfter(
            LettuceConnectionFactory application, RedisProcess master, String signal, RedisProcess replica)
            throws InterruptedException {
        try (LettuceConnections connections = new LettuceConnections(application, TIMEOUT);
                RateLimiterStack limiter = RateLimiterStack.onRedis(connections).build()) {
            connections.connect();
            await().until(() -> isDecided(limiter));

            master.signal(signal);
            CompletableFuture<Long> promoted = CompletableFuture.supplyAsync(() -> awaitMaster(replica));
            long startNanos = System.nanoTime();
            long lastNanos = startNanos;
            while (!promoted.isDone() || System.nanoTime() - lastNanos < QUIET.toNanos()) {
                if (!isDecided(limiter)) {
                    lastNanos = System.nanoTime();
                }
                assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(LONGEST);
                Thread.sleep(5);
            }
            return Duration.ofNanos(lastNanos - promoted.join());
        } finally {
            master.signal("CONT");
        }
    }

    private static boolean isDecided(RateLimiterStack limiter) {
        return limiter.acquire(ONE).source() == Decision.Source.STORE;
    }

    /** Returns when the replica was seen as a master whose Cluster, if it has one, is complete. */
    private static long awaitMaster(RedisProcess replica) {
        RedisClient client = RedisClient.create(RedisURI.create(replica.uri()));
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofMinutes(1))
                    .ignoreExceptions()
                    .until(() -> {
                        String info = connection.sync().info("replication");
                        return info.contains("role:master") && !isIncomplete(connection);
                    });
            return System.nanoTime();
        } finally {
            client.shutdown(Duration.ZERO, Duration.ZERO);
        }
    }

    private static boolean isIncomplete(StatefulRedisConnection<String, String> connection) {
        return connection.sync().info("cluster").contains("cluster_enabled:1")
                && connection.sync().clusterInfo().contains("cluster_state:fail");
    }
}
