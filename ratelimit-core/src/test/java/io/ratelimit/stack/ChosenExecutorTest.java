package io.ratelimit.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.ForwardingRateLimiter;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.SharedThreads;
import io.ratelimit.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application completes stages on its only thread, and makes blocking calls on it. */
class ChosenExecutorTest {

    private static final Duration MOST = Duration.ofMinutes(1);
    private static final Limit SHARDED =
            Limit.of("sharded", Algorithm.FIXED_WINDOW, 4, Duration.ofDays(300)).withShards(4);
    private static final Limit LEASED = Limit.of("leased", Algorithm.FIXED_WINDOW, 1_000, Duration.ofDays(300))
            .withLease(10);
    private static final Limit FAST = Limit.of("fast", Algorithm.TOKEN_BUCKET, 1, Duration.ofMillis(50));

    private final ExecutorService only = Executors.newSingleThreadExecutor(task -> new Thread(task, "only"));
    private final RedisClient client = RedisClient.create(SharedThreads.ofLimiters(), TestRedis.uri());
    private final Queue<String> threads = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        only.shutdownNow();
        client.shutdown(Duration.ZERO, Duration.ZERO);
    }

    @Test
    void decisionsOfSeveralStepsDoNotWaitForTheThreadThatWaitsForThem() {
        try (RateLimiterStack stack = onRedis().completeOn(only).build()) {
            assertThat(onTheOnlyThread(() -> IntStream.range(0, 5)
                            .filter(i -> stack.acquire(Acquisition.of(SHARDED, "alice"))
                                    .allowed())
                            .count()))
                    .isEqualTo(4);
            assertThat(onTheOnlyThread(() -> IntStream.range(0, 9)
                            .filter(i -> stack.acquire(Acquisition.of(LEASED, "alice", 7))
                                    .allowed())
                            .count()))
                    .isEqualTo(9);
            assertThat(onTheOnlyThread(() -> stack.acquireUpTo(Acquisition.of(LEASED, "alice"), 20)
                            .taken()))
                    .isEqualTo(20);
            assertThat(onTheOnlyThread(() -> {
                        stack.acquire(Acquisition.of(LEASED, "bob"));
                        stack.reset(LEASED, "bob");
                        return stack.peek(Acquisition.of(LEASED, "bob")).remaining();
                    }))
                    .isEqualTo(1_000);
        }
    }

    @Test
    void aCallThatWaitsIsAdmittedOnIt() {
        for (RateLimiterStackBuilder builder : List.of(onRedis(), RateLimiterStack.inMemory())) {
            try (RateLimiterStack stack = builder.completeOn(only).build()) {
                assertThat(onTheOnlyThread(() -> {
                            stack.acquire(Acquisition.of(FAST, "alice"));
                            return stack.acquire(Acquisition.of(FAST, "alice"), MOST)
                                    .allowed();
                        }))
                        .isTrue();
            }
        }
    }

    @Test
    void callbacksRunOnIt() {
        try (RateLimiterStack stack = onRedis().completeOn(only).build()) {
            CompletableFuture<?> called = stack.acquireAsync(Acquisition.of(FAST, "alice"))
                    .whenComplete((decision, failure) -> ran())
                    .toCompletableFuture();

            assertThat(called).succeedsWithin(MOST);
            assertThat(threads).isSubsetOf("only", Thread.currentThread().getName());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCallThatIsCancelledBeforeItIsAdmittedIsNotCharged(boolean throughAStageMadeFromIt) {
        Limit two = Limit.of("two", Algorithm.SLIDING_WINDOW_LOG, 2, Duration.ofHours(1));
        Acquisition both = Acquisition.of(two, "alice", 2);
        try (RateLimiterStack stack = RateLimiterStack.inMemory()
                .listener((acquisition, decision) -> {})
                .completeOn(only)
                .build()) {
            stack.acquire(both);
            CompletableFuture<Decision> waiting =
                    stack.acquireAsync(both, Duration.ofHours(2)).toCompletableFuture();
            Awaitility.await().until(() -> stack.state().waiting() == 1);

            CompletableFuture<?> cancelled = throughAStageMadeFromIt ? waiting.thenApply(Decision::allowed) : waiting;
            assertThat(cancelled.cancel(false)).isTrue();

            assertThat(stack.state().waiting()).isZero();
            stack.reset(two, "alice");
            assertThat(stack.peek(both).remaining()).isEqualTo(2);
        }
    }

    @Test
    void aDecisionThatComesAfterItsStageWasCancelledIsRefunded() {
        Limit hundred = Limit.of("hundred", Algorithm.FIXED_WINDOW, 100, Duration.ofDays(300));
        try (RateLimiterStack stack = onRedis().completeOn(only).build()) {
            Acquisition one = Acquisition.of(hundred, "alice");
            long kept = IntStream.range(0, 50)
                    .mapToObj(i -> stack.acquireAsync(one).toCompletableFuture())
                    .filter(called -> !called.cancel(false))
                    .count();

            Awaitility.await().until(() -> stack.peek(one).remaining() == 100 - kept);
        }
    }

    /** It does not override the call that blocks, whose stage it gets with a callback. */
    @Test
    void callbacksOfALayerNeverRunOnAThreadOfTheConnection() {
        try (RateLimiterStack stack = onRedis().around(Calling::new).build()) {
            IntStream.range(0, 50).forEach(i -> stack.acquire(Acquisition.of(LEASED, "alice " + i)));
            stack.peek(Acquisition.of(LEASED, "alice"));

            assertThat(threads).hasSize(50).noneMatch(name -> name.contains("lettuce") || name.contains("epoll"));
        }
    }

    private final class Calling extends ForwardingRateLimiter {

        private Calling(RateLimiter limiter) {
            super(limiter);
        }

        @Override
        public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
            return limiter.acquireAsync(acquisition).whenComplete((decision, failure) -> ran());
        }
    }

    private void ran() {
        threads.add(Thread.currentThread().getName());
    }

    private <T> T onTheOnlyThread(Callable<T> call) {
        try {
            return only.submit(call).get(MOST.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception failed) {
            throw new AssertionError("on the only thread", failed);
        }
    }

    private RateLimiterStackBuilder onRedis() {
        return RateLimiterStack.onRedis(RedisConnections.of(client.connect()))
                .keyPrefix("test-" + UUID.randomUUID())
                .onStoreFailure(FailurePolicy.CLOSED)
                .timeout(MOST);
    }
}
