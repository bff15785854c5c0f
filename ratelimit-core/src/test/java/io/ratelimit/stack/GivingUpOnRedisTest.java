package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.SharedThreads;
import io.ratelimit.testing.TestRedis;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Callers that give up about when the store answers: each gets its decision, or its charge is given back. */
@ExtendWith(NoThreadsLeft.class)
class GivingUpOnRedisTest {

    private static final int THREADS = 8;
    private static final int CALLS = 200;
    private static final Limit LIMIT = Limit.of("log", Algorithm.SLIDING_WINDOW_LOG, 200, Duration.ofDays(1));

    @Test
    void nothingIsLostOfALogInWhichTwoInstancesWait() {
        RedisClient client = RedisClient.create(SharedThreads.ofLimiters(), TestRedis.uri());
        String prefix = "test-giving-up-" + UUID.randomUUID();
        try (RateLimiterStack one = on(client, prefix);
                RateLimiterStack other = on(client, prefix)) {
            long used = Threads.run(THREADS, thread -> () -> takenBy(thread % 2 == 0 ? one : other, thread)).stream()
                    .mapToLong(Long::longValue)
                    .sum();

            Acquisition any = Acquisition.of(LIMIT, "alice");
            await().untilAsserted(() -> assertThat(one.peek(any).remaining()).isEqualTo(200 - used));
            one.reset(LIMIT, "alice");
        } finally {
            client.shutdown(Duration.ZERO, Duration.ZERO);
        }
    }

    private static long takenBy(RateLimiterStack limiter, int thread) throws InterruptedException, ExecutionException {
        SeededRandom random = SeededRandom.of("giving up on Redis " + thread);
        long taken = 0;
        for (int i = 0; i < CALLS; i++) {
            long cost = random.between(1, 3);
            Acquisition call = Acquisition.of(LIMIT, "alice", cost);
            CompletableFuture<Decision> asked =
                    limiter.acquireAsync(call, Duration.ofMinutes(1)).toCompletableFuture();
            taken += isAdmitted(asked, random.between(0, 2_000_000)) ? cost : 0;
        }
        return taken;
    }

    private static boolean isAdmitted(CompletableFuture<Decision> asked, long nanos)
            throws InterruptedException, ExecutionException {
        try {
            return asked.get(nanos, TimeUnit.NANOSECONDS).allowed();
        } catch (TimeoutException late) {
            return !asked.cancel(true) && asked.get().allowed();
        }
    }

    private static RateLimiterStack on(RedisClient client, String prefix) {
        return RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
                .keyPrefix(prefix)
                .timeout(Duration.ofMinutes(1))
                .onStoreFailure(FailurePolicy.CLOSED)
                .build();
    }
}
