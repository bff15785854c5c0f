package io.ratelimit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.NoThreadsLeft;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An application's executor that is full or was shut down: calls complete on a thread of the limiter instead. */
@ExtendWith(NoThreadsLeft.class)
class RejectingExecutorTest {

    private static final Limit LIMIT = Limit.of("ten", Algorithm.FIXED_WINDOW, 10, Duration.ofDays(300));
    private static final Limit FAST = Limit.of("fast", Algorithm.TOKEN_BUCKET, 1, Duration.ofMillis(50));

    private final RedisUnderTest redis = RedisUnderTest.withRedisTime();

    @AfterEach
    void close() {
        redis.close();
    }

    @Test
    void everyCallOfAStackGetsItsDecision() {
        try (RateLimiterStack stack = RateLimiterStack.onRedis(RedisConnections.of(redis.connection()))
                .keyPrefix(redis.prefix)
                .timeout(Duration.ofMinutes(1))
                .completeOn(RejectingExecutorTest::reject)
                .build()) {
            assertTenOfFortyAreAdmitted(stack);
        }
    }

    @Test
    void everyCallOfAStoreOnItsOwnGetsItsDecision() {
        try (RedisRateLimiter store = RedisRateLimiter.builder(RedisConnections.of(redis.connection()))
                .keyPrefix(redis.prefix)
                .timeout(Duration.ofMinutes(1))
                .completeOn(RejectingExecutorTest::reject)
                .build()) {
            assertTenOfFortyAreAdmitted(store);
        }
    }

    /** It cannot start a thread, say. */
    @Test
    void everyCallGetsItsDecisionWhateverTheExecutorThrows() {
        try (RateLimiterStack stack = RateLimiterStack.onRedis(RedisConnections.of(redis.connection()))
                .keyPrefix(redis.prefix)
                .timeout(Duration.ofMinutes(1))
                .completeOn(task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                })
                .build()) {
            assertTenOfFortyAreAdmitted(stack);
        }
    }

    @Test
    void aCallThatWaitsInMemoryGetsItsDecision() {
        try (RateLimiterStack stack = RateLimiterStack.inMemory()
                .completeOn(RejectingExecutorTest::reject)
                .build()) {
            stack.acquire(Acquisition.of(FAST, "alice"));

            assertThat(stack.acquireAsync(Acquisition.of(FAST, "alice"), Duration.ofMinutes(1))
                            .toCompletableFuture())
                    .succeedsWithin(1, TimeUnit.MINUTES)
                    .satisfies(decision -> assertThat(decision.allowed()).isTrue());
        }
    }

    private static void assertTenOfFortyAreAdmitted(RateLimiter limiter) {
        List<CompletableFuture<Decision>> calls = IntStream.range(0, 40)
                .mapToObj(i ->
                        limiter.acquireAsync(Acquisition.of(LIMIT, "alice")).toCompletableFuture())
                .toList();
        assertThat(CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)))
                .succeedsWithin(1, TimeUnit.MINUTES);
        assertThat(calls.stream().filter(call -> call.join().allowed())).hasSize(10);
    }

    private static void reject(Runnable task) {
        throw new RejectedExecutionException("full");
    }
}
