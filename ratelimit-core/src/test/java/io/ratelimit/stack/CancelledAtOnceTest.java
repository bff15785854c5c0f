package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.TestRedis;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A caller that cancels its stage before the decision is not charged, whatever layers the call passes. */
@ExtendWith(NoThreadsLeft.class)
class CancelledAtOnceTest {

    private static final int CALLS = 200;
    private static final int MOST = 100_000;
    private static final Limit LIMIT = Limit.of("log", Algorithm.SLIDING_WINDOW_LOG, MOST, Duration.ofDays(1));
    private static final Acquisition ONE = Acquisition.of(LIMIT, "alice");

    private final RedisClient client = RedisClient.create(TestRedis.uri());
    private final ExecutorService executor = Executors.newSingleThreadExecutor();

    @AfterEach
    void close() {
        executor.shutdownNow();
        client.shutdown(Duration.ZERO, Duration.ZERO);
    }

    @Test
    void aCall() {
        assertNotCharged(stack -> stack, ONE, limiter -> limiter.acquireAsync(ONE));
    }

    @Test
    void aCallThatTakesWhatIsLeft() {
        assertNotCharged(stack -> stack, ONE, limiter -> limiter.acquireUpToAsync(ONE, 3));
    }

    @Test
    void aCallThatMayWait() {
        assertNotCharged(stack -> stack, ONE, limiter -> limiter.acquireAsync(ONE, Duration.ofSeconds(9)));
    }

    @Test
    void aCallOfALimitWithALease() {
        Acquisition leased = Acquisition.of(LIMIT.withLease(10), "alice");
        assertNotCharged(stack -> stack, leased, limiter -> limiter.acquireAsync(leased));
    }

    @Test
    void aCallOfALimitWithShards() {
        Acquisition sharded = Acquisition.of(LIMIT.withShards(2), "alice");
        assertNotCharged(stack -> stack, sharded, limiter -> limiter.acquireAsync(sharded));
    }

    @Test
    void aCallThatListenersHearOf() {
        assertNotCharged(stack -> stack.listener(silent()), ONE, limiter -> limiter.acquireAsync(ONE));
    }

    @Test
    void aCallOfReportOnly() {
        assertNotCharged(stack -> stack.reportOnly(true), ONE, limiter -> limiter.acquireAsync(ONE));
    }

    /** Compares with what was decided before it was cancelled, which cancelling says. */
    private void assertNotCharged(
            UnaryOperator<RateLimiterStackBuilder> layers,
            Acquisition charged,
            Function<RateLimiterStack, CompletionStage<Decision>> call) {
        RateLimiterStackBuilder builder = RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
                .keyPrefix("test-cancelled-" + UUID.randomUUID())
                .timeout(Duration.ofSeconds(20))
                .onStoreFailure(FailurePolicy.CLOSED);
        try (RateLimiterStack stack = layers.apply(builder).build()) {
            stack.peek(charged);
            int cancelled = 0;
            long decided = 0;
            for (int i = 0; i < CALLS; i++) {
                CompletableFuture<Decision> asked = call.apply(stack).toCompletableFuture();
                if (asked.cancel(true)) {
                    cancelled++;
                } else {
                    decided += asked.join().taken();
                }
                assertThat(asked.isDone()).isTrue();
            }

            assertThat(cancelled).isPositive();
            long left = MOST - decided;
            await().untilAsserted(
                            () -> assertThat(stack.peek(charged).remaining()).isEqualTo(left));
            stack.reset(charged.charges().get(0).limit(), "alice");
        }
    }

    private static DecisionListener silent() {
        return (acquisition, decision) -> {};
    }
}
