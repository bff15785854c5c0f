package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.redis.RedisConnections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connection is lost while something still waits to be sent on it, as after Redis answered that it lacks the script. */
class UnsentWhenLostTest {

    private static final Acquisition THREE =
            Acquisition.of(Limit.of("tokens", Algorithm.FIXED_WINDOW, 10, Duration.ofDays(300)), "alice", 3);

    private final RedisUnderTest redis = RedisUnderTest.withRedisTime();
    private final List<Runnable> whenLost = new ArrayList<>();
    private final StatefulRedisConnection<String, String> connection = redis.connection();
    private final RedisRateLimiter limiter = RedisRateLimiter.builder(new RedisConnections() {
                @Override
                public RedisClusterAsyncCommands<String, String> commands() {
                    return connection.async();
                }

                @Override
                public boolean isCluster() {
                    return false;
                }

                @Override
                public Runnable whenLost(Runnable action) {
                    whenLost.add(action);
                    return () -> {};
                }
            })
            .keyPrefix(redis.prefix)
            .timeout(Duration.ofMinutes(1))
            .build();

    @AfterEach
    void close() {
        limiter.close();
        redis.close();
    }

    @Test
    void aRefundIsMadeOnce() {
        limiter.acquire(THREE);
        Decision decision = limiter.acquire(THREE);
        connection.setAutoFlushCommands(false);
        CompletableFuture<Void> refund = limiter.refundAsync(THREE, decision).toCompletableFuture();

        whenLost.forEach(Runnable::run);
        assertThat(refund).failsWithin(1, TimeUnit.MINUTES).withThrowableOfType(ExecutionException.class);
        connection.setAutoFlushCommands(true);
        connection.flushCommands();

        await().until(() -> limiter.peek(THREE).remaining() == 7);
        assertThat(limiter.acquire(THREE).remaining()).isEqualTo(4);
    }
}
