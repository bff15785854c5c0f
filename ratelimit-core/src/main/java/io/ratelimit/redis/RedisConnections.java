package io.ratelimit.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.ratelimit.StoreUnavailableException;

/**
 * Where the limiter gets a connection to Redis from. Implementations are thread-safe.
 *
 * <p>For limits that hold, open the connection with {@code disconnectedBehavior(REJECT_COMMANDS)}: Lettuce would
 * otherwise keep commands while it is disconnected, and charge callers who have long gone.
 */
public interface RedisConnections {

    /**
     * Commands of a connection that is open now.
     *
     * @throws StoreUnavailableException if none is
     */
    RedisClusterAsyncCommands<String, String> commands();

    /** Whether keys are spread over the slots of a Cluster. */
    boolean isCluster();

    /** Returns the node that serves a slot now, by an id that changes when another one does. One node unless a Cluster. */
    default String node(int slot) {
        return "redis";
    }

    /**
     * Runs that each time the connection is lost. Lettuce sends again, once it is back, what it has had no answer for,
     * and Redis would charge it twice.
     */
    default void whenLost(Runnable action) {}

    /** One connection to a single Redis, or to the master that Sentinel names. */
    static RedisConnections of(StatefulRedisConnection<String, String> connection) {
        return new RedisConnections() {
            @Override
            public RedisClusterAsyncCommands<String, String> commands() {
                if (!connection.isOpen()) {
                    throw new StoreUnavailableException("Redis is not connected");
                }
                return connection.async();
            }

            @Override
            public boolean isCluster() {
                return false;
            }

            @Override
            public void whenLost(Runnable action) {
                connection.addListener(new RedisConnectionStateListener() {
                    @Override
                    public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
                        action.run();
                    }
                });
            }
        };
    }

    /** One connection to a Cluster. */
    static RedisConnections of(StatefulRedisClusterConnection<String, String> connection) {
        return new RedisConnections() {
            @Override
            public RedisClusterAsyncCommands<String, String> commands() {
                return connection.async();
            }

            @Override
            public boolean isCluster() {
                return true;
            }

            @Override
            public String node(int slot) {
                RedisClusterNode master = connection.getPartitions().getPartitionBySlot(slot);
                return master == null ? "unknown" : master.getNodeId();
            }
        };
    }
}
