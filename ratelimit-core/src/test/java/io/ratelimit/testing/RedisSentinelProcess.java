package io.ratelimit.testing;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;

/** A master, a replica, and a Sentinel of the tests' own that makes the replica a master when the first one dies. */
public final class RedisSentinelProcess implements AutoCloseable {

    public static final String MASTER_NAME = "mymaster";

    private final RedisProcess master;
    private final RedisProcess replica;
    private final RedisProcess sentinel;

    private RedisSentinelProcess(RedisProcess master, RedisProcess replica, RedisProcess sentinel) {
        this.master = master;
        this.replica = replica;
        this.sentinel = sentinel;
    }

    /** Starts them and waits until Sentinel knows the replica. */
    public static RedisSentinelProcess start() {
        RedisProcess master = RedisProcess.start();
        RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1 " + master.port());
        RedisProcess sentinel = RedisProcess.start("--sentinel");
        monitor(sentinel, master);
        return new RedisSentinelProcess(master, replica, sentinel);
    }

    /** Where Sentinel is, and what it calls the master. */
    public RedisURI uri() {
        return RedisURI.Builder.sentinel("127.0.0.1", sentinel.port(), MASTER_NAME)
                .build();
    }

    /** The master at the start. */
    public RedisProcess master() {
        return master;
    }

    /** Lets Sentinel take a master for dead that is silent for half a second. Before, that takes it a minute. */
    public RedisSentinelProcess noticingSoon() {
        RedisClient client = RedisClient.create();
        try (StatefulRedisSentinelConnection<String, String> connection =
                client.connectSentinel(RedisURI.create("127.0.0.1", sentinel.port()))) {
            connection.sync().set(MASTER_NAME, "down-after-milliseconds", "500");
        } finally {
            client.shutdown(Duration.ZERO, Duration.ZERO);
        }
        return this;
    }

    /** The replica at the start, which becomes the master when that one dies. */
    public RedisProcess replica() {
        return replica;
    }

    /** Master and replica, dead or not. */
    public List<RedisProcess> servers() {
        return List.of(master, replica);
    }

    @Override
    public void close() {
        sentinel.close();
        replica.close();
        master.close();
    }

    private static void monitor(RedisProcess sentinel, RedisProcess master) {
        RedisClient client = RedisClient.create();
        RedisURI uri = RedisURI.create("127.0.0.1", sentinel.port());
        try (StatefulRedisSentinelConnection<String, String> connection = client.connectSentinel(uri)) {
            RedisSentinelCommands<String, String> commands = connection.sync();
            commands.monitor(MASTER_NAME, "127.0.0.1", master.port(), 1);
            commands.set(MASTER_NAME, "down-after-milliseconds", "60000");
            commands.set(MASTER_NAME, "failover-timeout", "3000");
            Awaitility.await("a replica that Sentinel knows")
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> commands.replicas(MASTER_NAME).stream().anyMatch(RedisSentinelProcess::isInSync));
        } finally {
            client.shutdown(Duration.ZERO, Duration.ZERO);
        }
    }

    private static boolean isInSync(Map<String, String> replica) {
        return "ok".equals(replica.get("master-link-status"));
    }
}
