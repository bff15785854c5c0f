package io.ratelimit.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.ratelimit.StoreUnavailableException;
import java.net.SocketAddress;

/**
 * Provides the limiter's connection to Redis. Implementations must be thread-safe.
 *
 * <p>Open the connection with {@code disconnectedBehavior(REJECT_COMMANDS)}. Otherwise Lettuce keeps commands while it
 * is disconnected and sends them later, which charges callers that have timed out.
 */
public interface RedisConnections {

    /**
     * Returns the commands of an open connection.
     *
     * @throws StoreUnavailableException if there is no open connection
     */
    RedisClusterAsyncCommands<String, String> commands();

    /** Returns whether this is a Cluster, where keys are distributed over slots. */
    boolean isCluster();

    /** Returns the id of the node that serves a slot now. Always the same id unless this is a Cluster. */
    default String node(int slot) {
        return "redis";
    }

    /**
     * Registers an action to run each time the connection is lost. The limiter then cancels unanswered commands,
     * because Lettuce would repeat them after reconnecting and Redis would charge them twice.
     *
     * @return removes the action, when the limiter is closed
     */
    default Runnable whenLost(Runnable action) {
        return () -> {};
    }

    /**
     * Registers an action to run each time a lost connection is there again. The limiter then sends the next call, although
     * its circuit breaker may be open.
     *
     * @return removes the action, when the limiter is closed
     */
    default Runnable whenRestored(Runnable action) {
        return () -> {};
    }

    /**
     * Looks for the nodes that accept writes now: asks a Cluster for its topology, or connects anew. The limiter calls it each
     * time when a node is not connected, has stopped answering, or answers as a replica or as one that serves nothing now. Must
     * not block, and should not do so more often than about once a second. An exception that it throws is logged and does not fail the call. Does nothing by
     * default: then Lettuce's own settings decide when that is found out.
     *
     * @param readOnly whether the node answers as a replica, which no reconnection of Lettuce ends
     */
    default void lookForMaster(boolean readOnly) {}

    /** Returns connections that use one connection to a single Redis, or to the master that Sentinel names. */
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
            public Runnable whenLost(Runnable action) {
                return listen(new RedisConnectionStateListener() {
                    @Override
                    public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
                        action.run();
                    }
                });
            }

            @Override
            public Runnable whenRestored(Runnable action) {
                return listen(new RedisConnectionStateListener() {
                    @Override
                    public void onRedisConnected(RedisChannelHandler<?, ?> restored, SocketAddress address) {
                        action.run();
                    }
                });
            }

            private Runnable listen(RedisConnectionStateListener listener) {
                connection.addListener(listener);
                return () -> connection.removeListener(listener);
            }
        };
    }

    /** Returns connections that use one connection to a Cluster. */
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
