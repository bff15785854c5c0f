package io.ratelimit.internal.redis;

import io.ratelimit.RateLimiter;
import io.ratelimit.RateLimiterContract;
import io.ratelimit.testing.NoThreadsLeft;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadsLeft.class)
class RedisRateLimiterTest extends RateLimiterContract {

    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn().withoutExpiry();

    @Override
    public RateLimiter limiter() {
        return redis.limiter();
    }

    @Override
    public void setClock(long micros) {
        redis.setClock(micros);
    }

    @AfterEach
    void close() {
        redis.close();
    }
}
