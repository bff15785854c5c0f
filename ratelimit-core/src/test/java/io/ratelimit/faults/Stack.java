package io.ratelimit.faults;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.Leftovers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The limiter as the starter builds it, on a connection with the settings of the starter. */
final class Stack implements AutoCloseable {

    static final Duration TIMEOUT = Duration.ofMillis(100);

    private static final Limit WARM_UP =
            Limit.of("warm-up", Algorithm.SLIDING_WINDOW_COUNTER, 100, Duration.ofHours(1));

    private final ClientResources resources;
    private final Runnable disconnect;
    private final RateLimiterStack limiter;

    private Stack(ClientResources resources, RedisConnections connections, Runnable disconnect) {
        this.resources = resources;
        this.disconnect = disconnect;
        this.limiter = RateLimiterStack.onRedis(connections).timeout(TIMEOUT).build();
    }

    static Stack on(RedisURI uri) {
        ClientResources resources = resources();
        RedisClient client = RedisClient.create(resources, Leftovers.named(uri));
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .build());
        RedisConnections connections = RedisConnections.of(client.connect(StringCodec.UTF8));
        return new Stack(resources, connections, () -> end(client));
    }

    static Stack onCluster(String uri) {
        ClientResources resources = resources();
        RedisClusterClient client = RedisClusterClient.create(resources, Leftovers.named(RedisURI.create(uri)));
        client.setOptions(ClusterClientOptions.builder()
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enableAllAdaptiveRefreshTriggers()
                        .adaptiveRefreshTriggersTimeout(Duration.ofMillis(500))
                        .build())
                .build());
        RedisConnections connections = RedisConnections.of(client.connect());
        return new Stack(resources, connections, () -> end(client));
    }

    /**
     * Decides a few times without Redis and with it, because a process spends some 100 ms on loading classes for its first
     * outage and its first batch.
     */
    void warmUp() {
        RedisConnections none = new RedisConnections() {
            @Override
            public RedisClusterAsyncCommands<String, String> commands() {
                throw new StoreUnavailableException("warming up");
            }

            @Override
            public boolean isCluster() {
                return false;
            }
        };
        try (Stack broken = new Stack(resources(), none, () -> {})) {
            broken.callTwentyTimes();
        }
        callTwentyTimes();
        limiter.reset(WARM_UP, "alice");
    }

    private void callTwentyTimes() {
        IntStream.range(0, 20).forEach(i -> limiter.acquire(Acquisition.of(WARM_UP, "alice")));
    }

    RateLimiter limiter() {
        return limiter;
    }

    @Override
    public void close() {
        limiter.close();
        disconnect.run();
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /**
     * Of a Cluster that lost a master, Lettuce now and then waits for ever here (issue 2278 of redis/lettuce): what is
     * open then ends with the resources.
     */
    private static void end(AbstractRedisClient client) {
        client.shutdownAsync(0, 2, TimeUnit.SECONDS)
                .completeOnTimeout(null, 10, TimeUnit.SECONDS)
                .join();
    }

    private static ClientResources resources() {
        return ClientResources.builder()
                .reconnectDelay(Delay.exponential(Duration.ZERO, Duration.ofMillis(200), 2, TimeUnit.MILLISECONDS))
                .build();
    }
}
