package io.ratelimit.benchmarks;

import io.lettuce.core.api.StatefulRedisConnection;
import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.redis.RedisRateLimiter;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** This library. Its timeout is longer than usual, for a busy machine must not fail the run. */
final class OwnLimiter implements AsyncContender {

    static final String NAME = "this library";

    private final StatefulRedisConnection<String, String> connection;
    private final RedisRateLimiter limiter;
    private final Limit limit;

    private OwnLimiter(RedisSite redis, Limit limit) {
        this.connection = redis.connect();
        this.limiter = RedisRateLimiter.builder(RedisConnections.of(connection))
                .timeout(Duration.ofSeconds(5))
                .build();
        this.limit = limit;
    }

    static OwnLimiter open(RedisSite redis) {
        return new OwnLimiter(redis, Limits.AMPLE);
    }

    static OwnLimiter open(RedisSite redis, Limit limit) {
        return new OwnLimiter(redis, limit);
    }

    /** In a database of its own, where other keys neither stand in the way nor are forgotten. */
    static OwnLimiter openIn(RedisSite redis, int database) {
        OwnLimiter limiter = open(redis);
        limiter.connection.sync().select(database);
        return limiter;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean tryAcquire(String subject) {
        return limiter.acquire(Acquisition.of(limit, subject)).allowed();
    }

    boolean tryAcquire(String subject, long cost) {
        return limiter.acquire(Acquisition.of(limit, subject, cost)).allowed();
    }

    @Override
    public CompletionStage<Boolean> tryAcquireAsync(String subject) {
        return limiter.acquireAsync(Acquisition.of(limit, subject)).thenApply(Decision::allowed);
    }

    CompletionStage<Boolean> tryAcquireAsync(String subject, long cost) {
        return limiter.acquireAsync(Acquisition.of(limit, subject, cost)).thenApply(Decision::allowed);
    }

    @Override
    public void close() {
        limiter.close();
        connection.close();
    }
}
