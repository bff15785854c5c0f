package io.ratelimit.spring.internal.redis;

import io.ratelimit.testing.RedisSentinelProcess;
import java.util.List;
import java.util.Set;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/** Where the Redis of a test is, as Spring Data is given it. */
final class Places {

    private Places() {}

    static RedisSentinelConfiguration of(RedisSentinelProcess redis) {
        return new RedisSentinelConfiguration(
                RedisSentinelProcess.MASTER_NAME,
                Set.of("127.0.0.1:" + redis.uri().getSentinels().get(0).getPort()));
    }

    /** The Cluster of which one node has that address. */
    static RedisClusterConfiguration ofCluster(String uri) {
        return new RedisClusterConfiguration(List.of(uri.substring("redis://".length())));
    }
}
