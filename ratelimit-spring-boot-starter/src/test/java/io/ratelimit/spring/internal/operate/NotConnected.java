package io.ratelimit.spring.internal.operate;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;

/** A Redis that is not there. */
final class NotConnected implements RedisConnections {

    @Override
    public RedisClusterAsyncCommands<String, String> commands() {
        throw new StoreUnavailableException("Redis is not connected");
    }

    @Override
    public boolean isCluster() {
        return false;
    }
}
