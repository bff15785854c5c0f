package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.Leftovers;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RedisSentinelProcess;
import io.ratelimit.testing.SharedThreads;
import java.time.Duration;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A master that Sentinel names, and its successor when it dies. */
@ExtendWith(NoThreadsLeft.class)
class SentinelRateLimiterTest {

    @Test
    void countsOnTheMasterAndOnItsSuccessor() {
        try (RedisSentinelProcess sentinel = RedisSentinelProcess.start()) {
            countOnBoth(sentinel);
            Leftovers.assertNone(sentinel.servers());
        }
    }

    private static void countOnBoth(RedisSentinelProcess sentinel) {
        RedisClient client = RedisClient.create(SharedThreads.ofLimiters());
        try (StatefulRedisConnection<String, String> connection = client.connect(Leftovers.named(sentinel.uri()));
                RedisRateLimiter limiter = RedisRateLimiter.builder(RedisConnections.of(connection))
                        .timeout(Duration.ofSeconds(20))
                        .build()) {
            Limit limit = Limit.of("five", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofHours(1));
            Acquisition one = Acquisition.of(limit, "alice");
            assertThat(IntStream.range(0, 3).filter(i -> limiter.acquire(one).allowed()))
                    .hasSize(3);
            assertThat(connection.sync().waitForReplication(1, 60_000)).isEqualTo(1);

            sentinel.noticingSoon().master().close();

            Awaitility.await().ignoreExceptions().until(() -> limiter.peek(one) != null);
            assertThat(IntStream.range(0, 3).filter(i -> limiter.acquire(one).allowed()))
                    .hasSize(2);
        } finally {
            client.shutdown(Duration.ZERO, Duration.ZERO);
        }
    }
}
