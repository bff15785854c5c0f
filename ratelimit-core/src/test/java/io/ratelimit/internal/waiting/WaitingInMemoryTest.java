package io.ratelimit.internal.waiting;

import io.ratelimit.RateLimiter;
import io.ratelimit.WaitingContract;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.ManualTime;

class WaitingInMemoryTest extends WaitingContract {

    @Override
    protected RateLimiter store(ManualTime time) {
        return InMemoryRateLimiter.create(1_000, time.clock());
    }
}
