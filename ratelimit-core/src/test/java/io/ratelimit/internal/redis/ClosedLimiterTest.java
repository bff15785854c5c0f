package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every call that is in flight when a limiter is closed ends, and every later one fails. */
@ExtendWith(NoThreadsLeft.class)
class ClosedLimiterTest {

    private static final Limit LIMIT = Limit.of("hundred", Algorithm.FIXED_WINDOW, 100, Duration.ofHours(1))
            .withBan(3, Duration.ofMinutes(1), Duration.ofMinutes(1));
    private static final Acquisition ONE = Acquisition.of(LIMIT, "alice");

    /** Within it 500 calls are made; while their callbacks block, twice that time passes until all have a thread. */
    private static final Duration SHORT = Duration.ofMillis(50);

    private final RedisProcess server = RedisProcess.start();
    private final RedisUnderTest redis = RedisUnderTest.on(server.uri(), Duration.ofMinutes(1), ClientOptions.create());
    private final CountDownLatch blocking = new CountDownLatch(1);

    @AfterEach
    void close() {
        blocking.countDown();
        server.close();
        redis.close();
    }

    @Test
    void callsInFlightEndThoughCallbacksOfOthersBlock() {
        RateLimiterStack stack = RateLimiterStack.onRedis(RedisConnections.of(redis.connection()))
                .onStoreFailure(FailurePolicy.CLOSED)
                .timeout(SHORT)
                .build();
        assertAllEndWhenClosed(() -> stack.acquireAsync(ONE), stack);
    }

    @Test
    void callsOfAStoreOnItsOwnEndThoughCallbacksOfOthersBlock() {
        RedisRateLimiter store = limiter(SHORT);
        assertAllEndWhenClosed(() -> store.acquireAsync(ONE), store);
    }

    /** An application may open and close limiters on one connection. */
    @Test
    void closingLeavesNoListenerOnTheConnection() {
        List<Runnable> registered = new ArrayList<>();
        RedisConnections connections = new RedisConnections() {
            @Override
            public RedisClusterAsyncCommands<String, String> commands() {
                return redis.connection().async();
            }

            @Override
            public boolean isCluster() {
                return false;
            }

            @Override
            public Runnable whenLost(Runnable action) {
                registered.add(action);
                return () -> registered.remove(action);
            }

            @Override
            public Runnable whenRestored(Runnable action) {
                return whenLost(action);
            }
        };
        try (RateLimiterStack stack = RateLimiterStack.onRedis(connections)
                .timeout(Duration.ofMinutes(1))
                .build()) {
            assertThat(stack.acquire(ONE).allowed()).isTrue();
            assertThat(registered).hasSize(2);
        }

        assertThat(registered).isEmpty();
    }

    @Test
    void aResetInFlightEnds() {
        RedisRateLimiter store = limiter(Duration.ofMillis(200));
        server.signal("STOP");
        CompletableFuture<?> reset = store.resetAsync(LIMIT, "alice").toCompletableFuture();

        store.close();

        assertThat(reset).failsWithin(1, TimeUnit.MINUTES).withThrowableOfType(ExecutionException.class);
    }

    /** As the stack closes: the limiter, then the scheduler, then once more. */
    @Test
    void aCallThatArrivesWhileTheLimiterIsClosedEnds() throws Exception {
        CountDownLatch arriving = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        ScheduledExecutorService scheduler = Scheduler.newThread();
        RedisRateLimiter store = RedisRateLimiter.builder(new SlowToName(redis.connection(), arriving, closed))
                .timeout(Duration.ofMillis(500))
                .scheduler(scheduler)
                .build();
        server.signal("STOP");
        CompletableFuture<?> call =
                CompletableFuture.supplyAsync(() -> store.acquireAsync(ONE)).thenCompose(Function.identity());
        assertThat(arriving.await(1, TimeUnit.MINUTES)).isTrue();

        store.close();
        closed.countDown();
        Awaitility.await("its check is scheduled, unless it is overdue already")
                .pollInterval(Duration.ofMillis(1))
                .until(() -> call.isDone()
                        || !((ScheduledThreadPoolExecutor) scheduler).getQueue().isEmpty());
        scheduler.shutdownNow();
        store.close();

        assertThat(call).failsWithin(1, TimeUnit.MINUTES).withThrowableOfType(ExecutionException.class);
    }

    /** Redis charges it, so its caller is to learn that. */
    @Test
    void aCallThatIsBeingSentIsAnswered() throws Exception {
        awaitAnswer();
        CountDownLatch sending = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        RedisRateLimiter store = RedisRateLimiter.builder(new SlowToSend(redis.connection(), sending, goOn))
                .keyPrefix(redis.prefix)
                .timeout(Duration.ofMinutes(1))
                .build();
        CompletableFuture<Decision> call =
                CompletableFuture.supplyAsync(() -> store.acquireAsync(ONE)).thenCompose(Function.identity());
        assertThat(sending.await(1, TimeUnit.MINUTES)).isTrue();

        CompletableFuture<?> closing = CompletableFuture.runAsync(store::close);
        assertThat(closing).failsWithin(Duration.ofMillis(200)).withThrowableOfType(TimeoutException.class);
        goOn.countDown();

        assertThat(call).succeedsWithin(1, TimeUnit.MINUTES).matches(Decision::allowed);
        assertThat(closing).succeedsWithin(1, TimeUnit.MINUTES);
    }

    /** Its next shard is asked, too: the policy would admit in an empty memory what all shards refuse. */
    @Test
    void aCallThatGoesOnToAnotherShardIsDecidedByRedis() throws Exception {
        awaitAnswer();
        Acquisition sharded = Acquisition.of(
                Limit.of("sharded", Algorithm.FIXED_WINDOW, 2, Duration.ofHours(1))
                        .withShards(2),
                "alice");
        try (RateLimiterStack other = stack(RedisConnections.of(redis.connection()))) {
            IntStream.range(0, 2)
                    .forEach(i -> assertThat(other.acquire(sharded).source()).isEqualTo(Decision.Source.STORE));
        }
        CountDownLatch sending = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        RateLimiterStack stack = stack(new SlowToSend(redis.connection(), sending, goOn));
        CompletableFuture<Decision> call = CompletableFuture.supplyAsync(() -> stack.acquire(sharded));
        assertThat(sending.await(1, TimeUnit.MINUTES)).isTrue();

        CompletableFuture<?> closing = CompletableFuture.runAsync(stack::close);
        assertThat(closing).failsWithin(Duration.ofMillis(200)).withThrowableOfType(TimeoutException.class);
        goOn.countDown();

        assertThat(call)
                .succeedsWithin(1, TimeUnit.MINUTES)
                .matches(decision -> !decision.allowed() && decision.source() == Decision.Source.STORE);
        assertThat(closing).succeedsWithin(1, TimeUnit.MINUTES);
    }

    @Test
    void nothingIsForgottenAfterIt() {
        awaitAnswer();
        redis.limiter().acquire(ONE);
        redis.limiter().ban(LIMIT, "alice");
        List<String> keys = redis.redis().keys(redis.prefix + "*");

        redis.limiter().close();

        assertFails(redis.limiter().resetAsync(LIMIT, "alice"));
        assertFails(redis.limiter().unbanAsync(LIMIT, "alice"));
        assertThat(redis.redis().keys(redis.prefix + "*")).hasSize(2).containsExactlyInAnyOrderElementsOf(keys);
    }

    private RedisRateLimiter limiter(Duration timeout) {
        return RedisRateLimiter.builder(RedisConnections.of(redis.connection()))
                .keyPrefix(redis.prefix)
                .timeout(timeout)
                .build();
    }

    private RateLimiterStack stack(RedisConnections connections) {
        return RateLimiterStack.onRedis(connections)
                .keyPrefix(redis.prefix)
                .timeout(Duration.ofMinutes(1))
                .build();
    }

    private void assertAllEndWhenClosed(Supplier<CompletionStage<?>> call, AutoCloseable limiter) {
        server.signal("STOP");
        Thread caller = Thread.currentThread();
        List<CompletableFuture<?>> calls = new ArrayList<>();
        IntStream.range(0, 500).forEach(i -> {
            CompletableFuture<?> stage = call.get().toCompletableFuture();
            stage.whenComplete((decision, failure) -> blockUnlessOn(caller));
            calls.add(stage);
        });

        assertThatCode(limiter::close).doesNotThrowAnyException();

        Awaitility.await().until(() -> calls.stream().allMatch(CompletableFuture::isCompletedExceptionally));
        assertThat(blocking.getCount()).as("callbacks still block").isEqualTo(1);
    }

    private static void assertFails(CompletionStage<Void> stage) {
        assertThat(stage.toCompletableFuture())
                .failsWithin(1, TimeUnit.MINUTES)
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnavailableException.class)
                .withMessageContaining("closed");
    }

    /** Names the node of the first call only when the limiter is closed. */
    private record SlowToName(
            StatefulRedisConnection<String, String> connection, CountDownLatch arriving, CountDownLatch closed)
            implements RedisConnections {

        @Override
        public RedisClusterAsyncCommands<String, String> commands() {
            return connection.async();
        }

        @Override
        public boolean isCluster() {
            return false;
        }

        @Override
        public String node(int slot) {
            arriving.countDown();
            await(closed);
            return "redis";
        }
    }

    /** Sends the first call only when it may go on. */
    private record SlowToSend(
            StatefulRedisConnection<String, String> connection, CountDownLatch sending, CountDownLatch goOn)
            implements RedisConnections {

        @Override
        public RedisClusterAsyncCommands<String, String> commands() {
            sending.countDown();
            await(goOn);
            return connection.async();
        }

        @Override
        public boolean isCluster() {
            return false;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(2, TimeUnit.MINUTES);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void blockUnlessOn(Thread caller) {
        try {
            if (Thread.currentThread() != caller) {
                blocking.await(2, TimeUnit.MINUTES);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitAnswer() {
        Awaitility.await().ignoreExceptions().until(() -> redis.limiter().peek(ONE) != null);
    }
}
