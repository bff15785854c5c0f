package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.ConnectedCluster;
import io.ratelimit.testing.Leftovers;
import io.ratelimit.testing.RedisClusterProcess;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.SharedThreads;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes that a successor has not seen, that a master must not make, for which a node has no memory, or that it has on disk. */
@Tag("slow")
class LostWritesTest {

    private static final Limit TEN = Limit.of("ten", Algorithm.SLIDING_WINDOW_LOG, 10, Duration.ofHours(1));
    private static final Acquisition ALICE = Acquisition.of(TEN, "alice");

    @Test
    void aPromotedReplicaAdmitsAsMuchMoreAsItHasNotSeen() {
        try (RedisProcess master = RedisProcess.start();
                RedisProcess replica = replicaOf(master)) {
            countOn(master, (limiter, connection) -> {
                assertThat(admitted(limiter, 6)).isEqualTo(6);
                assertThat(connection.sync().waitForReplication(1, 60_000)).isEqualTo(1);
                replica.ask(RedisCommands::replicaofNoOne); // what comes now does not reach it
                assertThat(admitted(limiter, 9)).isEqualTo(4);
            });
            master.signal("KILL");

            countOn(
                    replica,
                    (limiter, connection) -> assertThat(admitted(limiter, 9)).isEqualTo(4));
            assertThat(Leftovers.keysWithoutTimeToLive(List.of(replica))).isEmpty();
        }
    }

    @Test
    void aMasterThatMustNotWriteChargesNothingAndDecidesNothing() {
        try (RedisProcess master = RedisProcess.start("--min-replicas-to-write", "1")) {
            countOn(master, (limiter, connection) -> {
                for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(() -> limiter.acquire(ALICE))
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasStackTraceContaining("NOREPLICAS");
                }
                assertThat(limiter.peek(ALICE).remaining()).isEqualTo(10);
                try (RedisProcess replica = replicaOf(master)) {
                    Awaitility.await()
                            .ignoreExceptions()
                            .until(() -> limiter.acquire(ALICE).allowed());
                    assertThat(replica.isAlive()).isTrue();
                    assertThat(limiter.peek(ALICE).remaining()).isEqualTo(9);
                }
            });
        }
    }

    @Test
    void aNodeWithoutMemoryFailsItsOwnSlotsAlone() {
        try (RedisClusterProcess cluster = RedisClusterProcess.start()) {
            RedisClusterClient client =
                    RedisClusterClient.create(SharedThreads.ofLimiters(), RedisURI.create(cluster.uri()));
            try (StatefulRedisClusterConnection<String, String> connection = client.connect();
                    RedisRateLimiter limiter = limiter(RedisConnections.of(connection))) {
                String full = ConnectedCluster.SUBJECTS.get(0);
                String other = ConnectedCluster.SUBJECTS.get(1);
                RedisProcess node = cluster.masters().get(0);
                node.ask(redis -> redis.configSet("maxmemory", "1"));

                assertThatThrownBy(() -> limiter.acquire(Acquisition.of(TEN, full)))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasStackTraceContaining("OOM");
                assertThat(limiter.acquire(Acquisition.of(TEN, other)).remaining())
                        .isEqualTo(9);

                node.ask(redis -> redis.configSet("maxmemory", "0"));
                assertThat(limiter.acquire(Acquisition.of(TEN, full)).remaining())
                        .isEqualTo(9);
            } finally {
                client.shutdown(Duration.ZERO, Duration.ZERO);
            }
        }
    }

    @Test
    void whatIsInTheAppendOnlyFileIsStillUsedAfterARestart(@TempDir Path folder) {
        String[] persistent = {"--appendonly", "yes", "--appendfsync", "always", "--dir", folder.toString()};
        RedisProcess before = RedisProcess.start(persistent);
        countOn(before, (limiter, connection) -> {
            assertThat(admitted(limiter, 6)).isEqualTo(6);
            before.signal("KILL");
            before.close();
            try (RedisProcess after = RedisProcess.startOn(before.port(), persistent)) {
                Awaitility.await()
                        .ignoreExceptions()
                        .until(() -> limiter.peek(ALICE).remaining() == 4);
                assertThat(admitted(limiter, 9)).isEqualTo(4);
                assertThat(Leftovers.keysWithoutTimeToLive(List.of(after))).isEmpty();
            }
        });
    }

    /** Two masters that stand still are gone for the third one. */
    @Test
    void aMasterWithoutTheMajorityDecidesNothingAndGoesOnWhereItWas() {
        try (RedisClusterProcess cluster = RedisClusterProcess.start()) {
            RedisClusterClient client =
                    RedisClusterClient.create(SharedThreads.ofLimiters(), RedisURI.create(cluster.uri()));
            try (StatefulRedisClusterConnection<String, String> connection = client.connect();
                    RedisRateLimiter limiter = limiter(RedisConnections.of(connection))) {
                Acquisition call = Acquisition.of(TEN, ConnectedCluster.SUBJECTS.get(0));
                RedisProcess alone = cluster.masters().get(0);
                limiter.acquire(call);
                cluster.masters().subList(1, 3).forEach(master -> master.signal("STOP"));
                Awaitility.await()
                        .until(() -> alone.ask(RedisCommands::clusterInfo).contains("cluster_state:fail"));

                assertThatThrownBy(() -> limiter.acquire(call))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasStackTraceContaining("CLUSTERDOWN");

                cluster.masters().subList(1, 3).forEach(master -> master.signal("CONT"));
                Awaitility.await()
                        .ignoreExceptions()
                        .until(() -> limiter.acquire(call).remaining() == 8);
            } finally {
                client.shutdown(Duration.ZERO, Duration.ZERO);
            }
        }
    }

    @FunctionalInterface
    private interface Counting {
        void on(RateLimiter limiter, StatefulRedisConnection<String, String> connection);
    }

    private static void countOn(RedisProcess server, Counting counting) {
        RedisClient client = RedisClient.create(SharedThreads.ofLimiters(), RedisURI.create(server.uri()));
        try (StatefulRedisConnection<String, String> connection = client.connect();
                RedisRateLimiter limiter = limiter(RedisConnections.of(connection))) {
            counting.on(limiter, connection);
        } finally {
            client.shutdown(Duration.ZERO, Duration.ZERO);
        }
    }

    private static RedisRateLimiter limiter(RedisConnections connections) {
        return RedisRateLimiter.builder(connections)
                .timeout(Duration.ofSeconds(20))
                .build();
    }

    private static RedisProcess replicaOf(RedisProcess master) {
        RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1", String.valueOf(master.port()));
        Awaitility.await("a replica in sync")
                .atMost(Duration.ofMinutes(1))
                .until(() -> replica.ask(redis -> redis.info("replication")).contains("master_link_status:up"));
        return replica;
    }

    private static long admitted(RateLimiter limiter, int calls) {
        return IntStream.range(0, calls)
                .filter(i -> limiter.acquire(ALICE).allowed())
                .count();
    }
}
