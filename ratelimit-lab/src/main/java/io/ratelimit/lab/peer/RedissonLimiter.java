package io.ratelimit.lab.peer;

import io.ratelimit.lab.Answer;
import io.ratelimit.lab.Limiter;
import io.ratelimit.lab.Rate;
import io.ratelimit.lab.Setup;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's {@code RRateLimiter} with the rate of all instances together. */
public final class RedissonLimiter implements Limiter {

    private final RedissonClient client;
    private final Rate rate;
    private final Map<String, RRateLimiter> limiters = new ConcurrentHashMap<>();

    public RedissonLimiter(Setup setup) {
        Config config = new Config();
        config.useSingleServer().setAddress(setup.redis().uri());
        client = Redisson.create(config);
        rate = setup.rate();
    }

    @Override
    public Answer tryAcquire(String subject, long cost) {
        return Answer.of(limiters.computeIfAbsent(subject, this::limiter).tryAcquire(cost));
    }

    private RRateLimiter limiter(String subject) {
        RRateLimiter limiter = client.getRateLimiter("redisson:" + subject);
        limiter.trySetRate(RateType.OVERALL, rate.limit(), rate.window());
        return limiter;
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
