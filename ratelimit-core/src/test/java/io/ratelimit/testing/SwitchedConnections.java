package io.ratelimit.testing;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;

/** A connection to a single Redis that is not there while a test has switched that on. */
public final class SwitchedConnections implements RedisConnections {

    public volatile boolean away;

    private final StatefulRedisConnection<String, String> connection;

    public SwitchedConnections(StatefulRedisConnection<String, String> connection) {
        this.connection = connection;
    }

    @Override
    public RedisClusterAsyncCommands<String, String> commands() {
        if (away) {
            throw new StoreUnavailableException("away for the test");
        }
        return connection.async();
    }

    @Override
    public boolean isCluster() {
        return false;
    }
}
