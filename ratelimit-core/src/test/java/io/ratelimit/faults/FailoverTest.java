package io.ratelimit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.testing.RedisClusterProcess;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.RedisSentinelProcess;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Masters that die under load and are replaced, hang, or hand their slots over. */
@Tag("slow")
@Tag("alone")
class FailoverTest {

    private static final Logger LOG = LoggerFactory.getLogger(FailoverTest.class);

    private static final int SLOT = SlotHash.getSlot("subject-" + FailurePolicy.LOCAL);

    @Test
    void sentinelReplacesAMasterThatDied() {
        try (RedisSentinelProcess sentinel = RedisSentinelProcess.start().noticingSoon();
                Trial trial = Trial.on(sentinel)) {
            trial.losesWhatIsNotReplicated()
                    .breakFor(Duration.ZERO, () -> sentinel.master().close(), () -> awaitMaster(sentinel.replica()));

            trial.report("Sentinel failover");
            assertThat(trial.answers().withoutStore()).isPositive();
        }
    }

    /** Both masters admit until Sentinel demotes the old one, which is some ten seconds after it promoted the new one. */
    @Test
    void sentinelReplacesAMasterAsPlanned() {
        Limit limit = Limit.of("planned", Algorithm.FIXED_WINDOW, 100_000, Duration.ofDays(300));
        AtomicInteger subjects = new AtomicInteger();
        try (RedisSentinelProcess sentinel = RedisSentinelProcess.start().noticingSoon();
                Stack stack = Stack.on(sentinel.uri())) {
            Supplier<Decision> next =
                    () -> stack.limiter().acquire(Acquisition.of(limit, "subject " + subjects.incrementAndGet()));
            Awaitility.await().until(() -> next.get().source() == Decision.Source.STORE);
            RedisClient client = RedisClient.create(sentinel.uri());
            try (StatefulRedisSentinelConnection<String, String> admin = client.connectSentinel()) {
                admin.sync().failover(RedisSentinelProcess.MASTER_NAME);
                awaitMaster(sentinel.replica());
                long promotedNanos = System.nanoTime();
                long keysBefore = sentinel.replica().ask(RedisCommands::dbsize);
                Awaitility.await("charges on the new master")
                        .pollInterval(Duration.ofMillis(20))
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> {
                            return next.get() != null && sentinel.replica().ask(RedisCommands::dbsize) > keysBefore + 1;
                        });
                LOG.info(
                        "Planned Sentinel failover: followed {} ms after the new master was promoted",
                        Duration.ofNanos(System.nanoTime() - promotedNanos).toMillis());
            } finally {
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            }
        }
    }

    @Test
    void aClusterReplacesAMasterThatDied() {
        try (RedisClusterProcess cluster = RedisClusterProcess.start()) {
            RedisProcess master = cluster.masterOf(SLOT);
            RedisProcess replica = cluster.addReplicaOf(master);
            try (Trial trial = Trial.on(cluster, another(cluster))) {
                trial.losesWhatIsNotReplicated().breakFor(Duration.ZERO, master::close, () -> {
                    awaitMaster(replica);
                    cluster.awaitAllSlots(replica);
                });

                trial.report("Cluster master killed");
                assertThat(trial.answers().withoutStore()).isPositive();
            }
        }
    }

    @Test
    void aMasterOfAClusterThatHangsLeavesTheOthersExact() {
        try (RedisClusterProcess cluster = RedisClusterProcess.start();
                Trial trial = Trial.on(cluster, another(cluster))) {
            RedisProcess master = cluster.masterOf(SLOT);
            trial.losesAnswers()
                    .breakFor(Duration.ofSeconds(1), () -> master.signal("STOP"), () -> master.signal("CONT"));

            trial.report("Cluster master hung for 1 s");
            assertThat(trial.answers().withoutStore()).isPositive();
        }
    }

    @Test
    void slotsMoveUnderLoad() {
        try (RedisClusterProcess cluster = RedisClusterProcess.start();
                Trial trial = Trial.on(cluster, another(cluster))) {
            RedisProcess from = cluster.masterOf(SLOT);
            RedisProcess to = another(cluster);
            trial.breakFor(
                    Duration.ofMillis(500),
                    () -> cluster.moveSlot(SLOT, from, to),
                    () -> cluster.moveSlot(SLOT, to, from));

            trial.report("Slot moved to another master and back");
        }
    }

    private static RedisProcess another(RedisClusterProcess cluster) {
        return cluster.masters().stream()
                .filter(master -> master != cluster.masterOf(SLOT))
                .findFirst()
                .orElseThrow();
    }

    /** Sentinel cuts the connections of a replica that it makes a master. */
    private static void awaitMaster(RedisProcess replica) {
        RedisClient client = RedisClient.create(replica.uri());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            Awaitility.await("a new master")
                    .pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofSeconds(30))
                    .ignoreExceptionsInstanceOf(RedisException.class)
                    .until(() -> connection.sync().info("replication").contains("role:master"));
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
