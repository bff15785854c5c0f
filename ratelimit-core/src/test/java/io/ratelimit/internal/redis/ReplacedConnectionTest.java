package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.ReplyProxy;
import io.ratelimit.testing.SharedThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Another connection takes the place of one that was lost, and that tells nobody so: of a master that hangs, where the roles
 * of nodes are fixed.
 */
class ReplacedConnectionTest {

    private static final Acquisition SLOT =
            Acquisition.of(Limit.of("slots", Algorithm.CONCURRENCY, 1, Duration.ofHours(1)), "alice");

    private final RedisProcess redis = RedisProcess.start();
    private final ReplyProxy proxy = new ReplyProxy(redis.port());
    private final RedisClient client = RedisClient.create(SharedThreads.ofLimiters());
    private final StatefulRedisConnection<String, String> first = client.connect(RedisURI.create(proxy.uri()));
    private final StatefulRedisConnection<String, String> second = client.connect(RedisURI.create(redis.uri()));
    private volatile StatefulRedisConnection<String, String> used = first;
    private final RedisRateLimiter limiter = RedisRateLimiter.builder(new RedisConnections() {
                @Override
                public RedisClusterAsyncCommands<String, String> commands() {
                    return used.async();
                }

                @Override
                public boolean isCluster() {
                    return false;
                }
            })
            .timeout(Duration.ofMillis(500))
            .build();

    @AfterEach
    void close() {
        limiter.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
        redis.close();
    }

    @Test
    void theSlotOfACallThatEndedIsFree() throws IOException {
        Decision decision = await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .until(() -> limiter.acquire(SLOT), Decision::allowed);
        CompletableFuture<Void> lost = new CompletableFuture<>();
        RedisConnections.of(first).whenLost(() -> lost.complete(null));
        CountDownLatch cut = proxy.holdAndLoseNextCommand();
        CompletableFuture<Void> end = limiter.releaseAsync(SLOT, decision).toCompletableFuture();
        await().until(end::isCompletedExceptionally);
        proxy.close();
        cut.countDown();
        await().until(lost::isDone);

        used = second;
        first.closeAsync().join();

        await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .untilAsserted(() -> assertThat(limiter.peek(SLOT).remaining()).isEqualTo(1));
    }
}
