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
    private final long rate;
    private final Duration window;
    private final Map<String, RRateLimiter> limiters = new ConcurrentHashMap<>();

    private RedissonLimiter(RedisSite redis, long rate, Duration window) {
        Config config = new Config();
        config.useSingleServer().setAddress(redis.uri());
        this.client = Redisson.create(config);
        this.rate = rate;
        this.window = window;
    }

    static RedissonLimiter open(RedisSite redis) {
        return open(redis, Limits.BURST, Duration.ofSeconds(1));
    }

    static RedissonLimiter open(RedisSite redis, long rate, Duration window) {
        return new RedissonLimiter(redis, rate, window);
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
        limiter.trySetRate(RateType.OVERALL, rate, window);
        return limiter;
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
