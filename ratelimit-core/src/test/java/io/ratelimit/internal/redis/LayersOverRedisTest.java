package io.ratelimit.internal.redis;

import io.ratelimit.AllOrNothingContract;
import io.ratelimit.RateLimiter;
import io.ratelimit.SettleContract;
import io.ratelimit.UndoContract;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.lease.LeasingRateLimiter;
import io.ratelimit.internal.shard.ShardingRateLimiter;
import io.ratelimit.testing.NoThreadsLeft;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Limits without leases and shards have the same contract behind the layers of these: here what an acquisition of several
 * limits, a refund and a settlement must do, which the layers pass on apart. {@link WholeContractBehindLayersTest} has the
 * rest.
 */
@ExtendWith(NoThreadsLeft.class)
class LayersOverRedisTest implements AllOrNothingContract, UndoContract, SettleContract {

    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn().withoutExpiry();
    private final ScheduledExecutorService scheduler = Scheduler.newThread();
    private final LeasingRateLimiter limiter =
            new LeasingRateLimiter(new ShardingRateLimiter(redis.limiter()), Scheduler.on(scheduler), Runnable::run);

    @Override
    public RateLimiter limiter() {
        return limiter;
    }

    @Override
    public void setClock(long micros) {
        redis.setClock(micros);
    }

    @AfterEach
    void close() {
        limiter.close();
        scheduler.shutdownNow();
        redis.close();
    }
}
