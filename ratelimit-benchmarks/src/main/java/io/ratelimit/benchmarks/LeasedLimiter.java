package io.ratelimit.benchmarks;

import io.lettuce.core.api.StatefulRedisConnection;
import io.ratelimit.Acquisition;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.decorator.CircuitBreakingRateLimiter;
import io.ratelimit.decorator.DeadlineRateLimiter;
import io.ratelimit.decorator.DenialCachingRateLimiter;
import io.ratelimit.decorator.FailurePolicyRateLimiter;
import io.ratelimit.decorator.LeasingRateLimiter;
import io.ratelimit.decorator.ShardingRateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.redis.RedisRateLimiter;
import java.time.Duration;

/** This library, stacked as the starter does it. Its timeout is longer than usual, as that of {@link OwnLimiter}. */
final class LeasedLimiter implements Contender {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final StatefulRedisConnection<String, String> connection;
    private final RedisRateLimiter redis;
    private final LeasingRateLimiter leasing;
    private final RateLimiter limiter;
    private final Limit limit;

    LeasedLimiter(RedisSite site, Limit limit) {
        this.limit = limit;
        connection = site.connect();
        redis = RedisRateLimiter.builder(RedisConnections.of(connection))
                .timeout(TIMEOUT)
                .build();
        leasing = new LeasingRateLimiter(
                new ShardingRateLimiter(new DenialCachingRateLimiter(new CircuitBreakingRateLimiter(redis))));
        limiter = new DenialCachingRateLimiter(new FailurePolicyRateLimiter(
                new DeadlineRateLimiter(leasing, TIMEOUT), InMemoryRateLimiter.create(), FailurePolicy.CLOSED));
    }

    @Override
    public String name() {
        return "this library, as the starter stacks it";
    }

    @Override
    public boolean tryAcquire(String subject) {
        return limiter.acquire(Acquisition.of(limit, subject)).allowed();
    }

    @Override
    public void close() {
        leasing.close();
        redis.close();
        connection.close();
    }
}
