package io.ratelimit.testing;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.List;

/** The Cluster that tests share, with a connection of a class' own to it; at the end nothing may be left behind. */
public final class ConnectedCluster implements AutoCloseable {

    /** One on each master: their slots are 749, 8,955, 12,069. */
    public static final List<String> SUBJECTS = List.of("alice", "bob", "erin");

    private final RedisClusterProcess servers = RedisClusterProcess.shared();
    private final RedisClusterClient client =
            RedisClusterClient.create(SharedThreads.ofLimiters(), Leftovers.named(RedisURI.create(servers.uri())));
    private final StatefulRedisClusterConnection<String, String> connection = client.connect();

    public RedisClusterProcess servers() {
        return servers;
    }

    public StatefulRedisClusterConnection<String, String> connection() {
        return connection;
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
        Leftovers.assertNone(servers.servers());
    }
}
