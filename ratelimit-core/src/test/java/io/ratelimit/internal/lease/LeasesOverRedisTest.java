package io.ratelimit.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.redis.RedisRateLimiter;
import io.ratelimit.internal.shard.ShardingRateLimiter;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.CountingRateLimiter;
import io.ratelimit.testing.SharedThreads;
import io.ratelimit.testing.TestRedis;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two instances over a real Redis, as the starter stacks them. */
class LeasesOverRedisTest {

    private static final Duration PATIENT = Duration.ofMinutes(1);

    private final RedisClient client = RedisClient.create(SharedThreads.ofLimiters(), TestRedis.uri());
    private final StatefulRedisConnection<String, String> connection = client.connect();
    private final RedisRateLimiter redis = RedisRateLimiter.builder(RedisConnections.of(connection))
            .keyPrefix("test-" + UUID.randomUUID())
            .timeout(PATIENT)
            .build();
    private final CountingRateLimiter store = new CountingRateLimiter(redis);
    private final ShardingRateLimiter sharding = new ShardingRateLimiter(store);
    private final ScheduledExecutorService scheduler = Scheduler.newThread();
    private final List<LeasingRateLimiter> instances = Stream.generate(() ->
                    new LeasingRateLimiter(new ShardingRateLimiter(store), Scheduler.on(scheduler), Runnable::run))
            .limit(2)
            .toList();

    @AfterEach
    void close() {
        instances.forEach(LeasingRateLimiter::close);
        redis.close();
        scheduler.shutdownNow();
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ZERO);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void manyThreadsUseTheWholeQuotaAndNoMore(Algorithm algorithm) {
        assertThatThreadsUseTheWholeQuotaAndNoMore(algorithm, 2_000, 150);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    @Tag("slow")
    void manyThreadsUseTheWholeOfALargerQuotaAndNoMore(Algorithm algorithm) {
        assertThatThreadsUseTheWholeQuotaAndNoMore(algorithm, 5_000, 500);
    }

    private void assertThatThreadsUseTheWholeQuotaAndNoMore(Algorithm algorithm, long quota, int callsEach) {
        Limit limit = Limit.of("hot", algorithm, quota, Duration.ofDays(300))
                .withShards(4)
                .withLease(50);

        List<Long> admitted = Threads.run(16, thread -> () -> {
            RateLimiter limiter = instances.get(thread % 2);
            return IntStream.range(0, callsEach)
                    .filter(i -> limiter.acquire(Acquisition.of(limit, "eve")).allowed())
                    .count();
        });
        long total = admitted.stream().mapToLong(Long::longValue).sum();
        instances.forEach(LeasingRateLimiter::close);

        assertThat(total).isBetween(quota - 2 * 50, quota);
        Awaitility.await()
                .until(() -> sharding.peek(Acquisition.of(limit, "eve")).remaining() == quota - total);
    }

    @Test
    void givesBackWhatNobodyUsedWithinASecond() {
        List<Acquisition> ofAll = Algorithms.ofCosts().stream()
                .map(algorithm ->
                        Limit.of("idle", algorithm, 5_000, Duration.ofDays(300)).withLease(50))
                .map(limit -> Acquisition.of(limit, "eve"))
                .toList();
        ofAll.forEach(one -> instances.get(0).acquire(one));
        assertThat(store.cost).hasValue(50L * ofAll.size());

        Awaitility.await()
                .until(() -> ofAll.stream().allMatch(one -> redis.peek(one).remaining() == 4_999));
    }
}
