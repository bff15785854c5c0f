package io.ratelimit.benchmarks;

import io.lettuce.core.api.StatefulRedisConnection;
import io.ratelimit.Acquisition;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;

/** This library as the starter builds it. Its timeout is longer than usual, as that of {@link OwnLimiter}. */
final class LeasedLimiter implements Contender {

    private final StatefulRedisConnection<String, String> connection;
    private final RateLimiterStack limiter;
    private final Limit limit;

    LeasedLimiter(RedisSite site, Limit limit) {
        this.limit = limit;
        connection = site.connect();
        limiter = RateLimiterStack.onRedis(RedisConnections.of(connection))
                .timeout(Duration.ofSeconds(5))
                .onStoreFailure(FailurePolicy.CLOSED)
                .build();
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
        limiter.close();
        connection.close();
    }
}
