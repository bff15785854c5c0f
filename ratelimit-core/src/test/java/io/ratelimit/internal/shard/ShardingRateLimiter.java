package io.ratelimit.internal.shard;

import io.ratelimit.RateLimiter;
import io.ratelimit.internal.call.CallingRateLimiter;
import io.ratelimit.testing.LimiterStore;
import java.util.function.IntUnaryOperator;

/** Shards in front of any limiter. */
public final class ShardingRateLimiter extends CallingRateLimiter {

    public ShardingRateLimiter(RateLimiter store) {
        super(new Shards(new LimiterStore(store)), Runnable::run);
    }

    ShardingRateLimiter(RateLimiter store, IntUnaryOperator first) {
        super(new Shards(new LimiterStore(store), first), Runnable::run);
    }
}
