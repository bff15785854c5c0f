package io.ratelimit.memory;

import io.ratelimit.RateLimiter;
import io.ratelimit.RateLimiterContract;
import java.util.concurrent.atomic.AtomicLong;

class InMemoryRateLimiterTest extends RateLimiterContract {

    private final AtomicLong clock = new AtomicLong();
    private final RateLimiter limiter = InMemoryRateLimiter.create(1_000, clock::get);

    @Override
    public RateLimiter limiter() {
        return limiter;
    }

    @Override
    public void setClock(long micros) {
        clock.set(micros);
    }
}
