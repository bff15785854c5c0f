package io.ratelimit.spring.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ReadFrom;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.RedisClusterProcess;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Masters and replicas that change places, where neither Sentinel nor a Cluster tells, and slots that do. */
class LettuceConnectionsTest {

    private static final Acquisition ONE =
            Acquisition.of(Limit.of("many", Algorithm.FIXED_WINDOW, 1_000_000, Duration.ofDays(300)), "alice");

    private static final Duration TIMEOUT = Duration.ofMillis(100);

    private final LettuceClientConfiguration readsFromReplicas =
            LettuceClientConfiguration.builder().readFrom(ReadFrom.REPLICA).build();

    @Test
    void theNewMasterAmongNodesThatAreNamedOneByOneIsFollowed() throws Exception {
        try (RedisProcess master = RedisProcess.start();
                RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1 " + master.port())) {
            RedisStaticMasterReplicaConfiguration place =
                    new RedisStaticMasterReplicaConfiguration("127.0.0.1", replica.port());
            place.addNode("127.0.0.1", master.port());

            follows(new LettuceConnectionFactory(place, readsFromReplicas), () -> changePlaces(master, replica));
        }
    }

    @Test
    void theNewMasterIsFollowedWhereAReplicaIsNamed() throws Exception {
        try (RedisProcess master = RedisProcess.start();
                RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1 " + master.port())) {
            follows(
                    new LettuceConnectionFactory(
                            new RedisStandaloneConfiguration("127.0.0.1", replica.port()), readsFromReplicas),
                    () -> changePlaces(master, replica));
        }
    }

    /** The old one has no link to a master, and so answers MASTERDOWN. */
    @Test
    void theNewMasterIsFollowedWhereTheOldOneIsAReplicaThatServesNothing() throws Exception {
        try (RedisProcess master = RedisProcess.start("--replica-serve-stale-data", "no");
                RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1 " + master.port())) {
            RedisStaticMasterReplicaConfiguration place =
                    new RedisStaticMasterReplicaConfiguration("127.0.0.1", master.port());
            place.addNode("127.0.0.1", replica.port());

            follows(new LettuceConnectionFactory(place), () -> {
                replica.ask(RedisCommands::replicaofNoOne);
                master.ask(redis -> redis.replicaof("127.0.0.1", 1));
            });
        }
    }

    @Test
    void aMasterThatDiedIsReplacedByTheOneOfTheOthersThatIsPromoted() throws Exception {
        try (RedisProcess master = RedisProcess.start();
                RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1 " + master.port())) {
            RedisStaticMasterReplicaConfiguration place =
                    new RedisStaticMasterReplicaConfiguration("127.0.0.1", master.port());
            place.addNode("127.0.0.1", replica.port());
            try (LettuceConnections connections = new LettuceConnections(new LettuceConnectionFactory(place), TIMEOUT);
                    RateLimiterStack limiter =
                            RateLimiterStack.onRedis(connections).build()) {
                connections.connect();
                awaitDecided(limiter);

                master.signal("KILL");
                replica.ask(RedisCommands::replicaofNoOne);

                awaitDecided(limiter);
                assertThat(replica.<Long>ask(RedisCommands::dbsize)).isPositive();
            }
        }
    }

    @Test
    void aSlotThatMovedIsAskedForWhereItIs() throws Exception {
        RedisClusterProcess cluster = RedisClusterProcess.shared();
        int slot = SlotHash.getSlot("alice");
        RedisProcess from = cluster.masterOf(slot);
        RedisProcess to = cluster.masters().get((cluster.masters().indexOf(from) + 1) % 3);
        RedisClusterConfiguration place = Places.ofCluster(cluster.uri());
        try (LettuceConnections connections = new LettuceConnections(new LettuceConnectionFactory(place), TIMEOUT);
                RateLimiterStack limiter = RateLimiterStack.onRedis(connections).build()) {
            connections.connect();
            awaitDecided(limiter);
            String before = connections.node(slot);

            cluster.moveSlot(slot, from, to);
            awaitDecided(limiter);

            await().until(() -> !connections.node(slot).equals(before));
        } finally {
            cluster.moveSlot(slot, to, from);
        }
    }

    /** One that a partition has cut off answers CLUSTERDOWN; here it has forgotten the others. */
    @Test
    void theNewMasterOfAClusterIsFollowedWhileClientsReachTheOldOne() throws Exception {
        try (RedisClusterProcess cluster = RedisClusterProcess.start()) {
            RedisProcess old = cluster.masterOf(SlotHash.getSlot("alice"));
            RedisProcess replica = cluster.addReplicaOf(old);

            follows(new LettuceConnectionFactory(Places.ofCluster(cluster.uri())), () -> {
                forgetOthers(old);
                await().until(() -> old.<String>ask(RedisCommands::clusterInfo).contains("cluster_state:fail"));
                replica.ask(redis -> redis.clusterFailover(false, true));
            });
        }
    }

    private static void forgetOthers(RedisProcess node) {
        String own = node.ask(RedisCommands::clusterMyId);
        node.<String>ask(RedisCommands::clusterNodes)
                .lines()
                .map(line -> line.substring(0, line.indexOf(' ')))
                .filter(id -> !id.equals(own))
                .forEach(id -> node.ask(redis -> redis.clusterForget(id)));
    }

    private static void follows(LettuceConnectionFactory application, Runnable failover) throws InterruptedException {
        try (LettuceConnections connections = new LettuceConnections(application, TIMEOUT);
                RateLimiterStack limiter = RateLimiterStack.onRedis(connections).build()) {
            connections.connect();
            awaitDecided(limiter);

            failover.run();

            awaitDecided(limiter);
        }
    }

    private static void changePlaces(RedisProcess old, RedisProcess master) {
        master.ask(RedisCommands::replicaofNoOne);
        old.ask(redis -> redis.replicaof("127.0.0.1", master.port()));
    }

    private static void awaitDecided(RateLimiterStack limiter) {
        await().until(() -> limiter.acquire(ONE).source() == Decision.Source.STORE);
    }
}
