package io.ratelimit.benchmarks;

import io.lettuce.core.api.StatefulRedisConnection;
import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.redis.StoreAlone;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.stack.RateLimiterStackBuilder;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** This library, as the starter builds it unless a factory says otherwise. A call that Redis does not decide fails. */
final class OwnLimiter implements AsyncContender {

    static final String NAME = "this library";

    /** Longer than usual, so that a busy machine does not fail the run. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final StatefulRedisConnection<String, String> connection;
    private final RateLimiter limiter;
    private final Runnable close;
    private final Limit limit;

    private OwnLimiter(
            StatefulRedisConnection<String, String> connection, RateLimiter limiter, Runnable close, Limit limit) {
        this.connection = connection;
        this.limiter = limiter;
        this.close = close;
        this.limit = limit;
    }

    static OwnLimiter open(RedisSite redis) {
        return open(redis, Limits.AMPLE);
    }

    static OwnLimiter open(RedisSite redis, Limit limit) {
        return open(redis, limit, TIMEOUT);
    }

    static OwnLimiter open(RedisSite redis, Limit limit, Duration timeout) {
        return open(
                redis,
                limit,
                stack -> stack.timeout(timeout)
                        .onStoreFailure(FailurePolicy.CLOSED)
                        .build());
    }

    /** With the timeout that it has by default, after which it counts in memory. */
    static OwnLimiter byDefault(RedisSite redis) {
        return open(redis, Limits.AMPLE, RateLimiterStackBuilder::build);
    }

    private static OwnLimiter open(
            RedisSite redis, Limit limit, Function<RateLimiterStackBuilder, RateLimiterStack> build) {
        StatefulRedisConnection<String, String> connection = redis.connect();
        RateLimiterStack stack = build.apply(RateLimiterStack.onRedis(RedisConnections.of(connection)));
        return new OwnLimiter(connection, stack, stack::close, limit);
    }

    /** The store alone, which remembers no refusal: for what Redis spends on each decision. */
    static OwnLimiter openStore(RedisSite redis, Limit limit) {
        StatefulRedisConnection<String, String> connection = redis.connect();
        StoreAlone store = StoreAlone.on(RedisConnections.of(connection), "rate_limit", TIMEOUT);
        return new OwnLimiter(connection, store, store::close, limit);
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
        return tryAcquire(subject, 1);
    }

    boolean tryAcquire(String subject, long cost) {
        return limiter.acquire(Acquisition.of(limit, subject, cost)).allowed();
    }

    @Override
    public CompletionStage<Boolean> tryAcquireAsync(String subject) {
        return tryAcquireAsync(subject, 1);
    }

    CompletionStage<Boolean> tryAcquireAsync(String subject, long cost) {
        return limiter.acquireAsync(Acquisition.of(limit, subject, cost)).thenApply(Decision::allowed);
    }

    @Override
    public void close() {
        close.run();
        connection.close();
    }
}
