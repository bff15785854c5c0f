package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.NoThreadsLeft;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connections of an application that throw when the limiter has the master looked for. */
@ExtendWith(NoThreadsLeft.class)
class FailingMasterSearchTest {

    private final AtomicInteger searches = new AtomicInteger();
    private final RedisRateLimiter limiter = RedisRateLimiter.builder(new RedisConnections() {
                @Override
                public RedisClusterAsyncCommands<String, String> commands() {
                    throw new StoreUnavailableException("away in the test");
                }

                @Override
                public boolean isCluster() {
                    return false;
                }

                @Override
                public void lookForMaster(boolean readOnly) {
                    searches.incrementAndGet();
                    throw new IllegalStateException("chosen by the test");
                }
            })
            .build();

    @AfterEach
    void close() {
        limiter.close();
    }

    @Test
    void callsFailAllTheSame() {
        Limit limit = Limit.of("five", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1));

        assertThat(limiter.acquireAsync(Acquisition.of(limit, "alice")).toCompletableFuture())
                .failsWithin(1, TimeUnit.MINUTES)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("away in the test");
        assertThat(searches).hasPositiveValue();
    }
}
