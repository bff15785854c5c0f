package io.ratelimit.benchmarks;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's {@code RRateLimiter}. It knows no burst, so the whole of it is its rate. */
final class RedissonLimiter implements Contender {

    static final String NAME = "Redisson RRateLimiter";

    private final RedissonClient client;
    private final long perSecond;
    private final Map<String, RRateLimiter> limiters = new ConcurrentHashMap<>();

    private RedissonLimiter(RedisSite redis, long perSecond) {
        Config config = new Config();
        config.useSingleServer().setAddress(redis.uri());
        this.client = Redisson.create(config);
        this.perSecond = perSecond;
    }

    static RedissonLimiter open(RedisSite redis) {
        return open(redis, Limits.BURST);
    }

    static RedissonLimiter open(RedisSite redis, long perSecond) {
        return new RedissonLimiter(redis, perSecond);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean tryAcquire(String subject) {
        RRateLimiter limiter = limiters.get(subject);
        return (limiter != null ? limiter : limiters.computeIfAbsent(subject, this::limiter)).tryAcquire();
    }

    private RRateLimiter limiter(String subject) {
        RRateLimiter limiter = client.getRateLimiter("redisson:" + subject);
        limiter.trySetRate(RateType.OVERALL, perSecond, Duration.ofSeconds(1));
        return limiter;
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
