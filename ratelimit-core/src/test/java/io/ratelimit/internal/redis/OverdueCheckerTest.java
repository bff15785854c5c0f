package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.call.OpenCalls;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.SharedThreads;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How long after its time a call fails: at the next check, or a reset by a timer of its own. The test runs what is
 * scheduled, so that no machine is too slow.
 */
class OverdueCheckerTest {

    private static final Limit TEN = Limit.of("ten", Algorithm.TOKEN_BUCKET, 10, Duration.ofHours(1));

    private record Check(long afterMillis, Runnable action) {}

    private final Deque<Check> scheduled = new ArrayDeque<>();
    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1) {
        @Override
        public ScheduledFuture<?> schedule(Runnable action, long delay, TimeUnit unit) {
            scheduled.add(new Check(unit.toMillis(delay), action));
            return super.schedule(() -> {}, 1, TimeUnit.HOURS);
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> action, long delay, TimeUnit unit) {
            scheduled.add(new Check(unit.toMillis(delay), new FutureTask<>(action)));
            return super.schedule(action, 1, TimeUnit.HOURS);
        }
    };
    private final Node node = new Node(new Patience(Duration.ofMillis(100)), isReplica -> {});

    @AfterEach
    void close() {
        scheduler.shutdownNow();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "20, 2", "100, 10", "5000, 10"})
    void checksEveryTenthOfTheTimeoutAndEveryTenMillisAtLeast(long timeoutMillis, long everyMillis) {
        Duration timeout = Duration.ofMillis(timeoutMillis);
        OverdueChecker checker = new OverdueChecker(scheduler, timeout, () -> true, () -> {});
        checker.scheduleCheck();
        checker.scheduleCheck();
        assertThat(scheduled).extracting(Check::afterMillis).containsExactly(everyMillis);

        scheduled.remove().action.run();

        assertThat(scheduled).extracting(Check::afterMillis).containsExactly(everyMillis);
    }

    /** The check that was scheduled before is gone, so nothing else would fail what arrives now. */
    @Test
    void afterAShutdownAllFailsAtOnceThoughACheckIsScheduled() {
        List<String> failed = new ArrayList<>();
        OverdueChecker checker =
                new OverdueChecker(scheduler, Duration.ofMillis(100), () -> true, () -> failed.add("all"));
        checker.scheduleCheck();
        assertThat(failed).isEmpty();

        scheduler.shutdownNow();
        checker.scheduleCheck();

        assertThat(failed).containsExactly("all");
    }

    @Test
    void theFirstCheckAfterItsTimeFailsACall() {
        Batcher batcher = new Batcher(
                () -> node,
                batch -> new CompletableFuture<>(),
                new Node.Clock(),
                Duration.ofMillis(100),
                scheduler,
                Runnable::run,
                new OpenCalls(),
                new Listeners<>(List.of()));
        node.answered(0, TimeUnit.MICROSECONDS.toNanos(70));
        PendingCall sentAndOver = call(Duration.ofMillis(20));
        PendingCall queued = call(Duration.ofHours(1));
        PendingCall queuedAndOver = call(Duration.ZERO);
        List.of(sentAndOver, queued, queuedAndOver).forEach(batcher::submit);
        Awaitility.await().until(() -> sentAndOver.isOverdue(System.nanoTime()));

        scheduled.remove().action.run();

        assertThat(Asked.answer(sentAndOver)).isCompletedExceptionally();
        assertThat(Asked.answer(queuedAndOver)).isCompletedExceptionally();
        assertThat(Asked.answer(queued)).isNotDone();
        assertThat(scheduled)
                .extracting(Check::afterMillis)
                .as("the next check")
                .containsOnlyOnce(10L);
    }

    /** A check sends what a burst left in the queue. While it does so, round trips become short, and a call is queued. */
    @Test
    void whatIsQueuedWhileACheckSendsIsSentByTheNextOne() {
        AtomicReference<Batcher> batcher = new AtomicReference<>();
        List<CompletableFuture<byte[]>> replies = new ArrayList<>();
        PendingCall last = call(Duration.ofHours(1));
        List<Integer> sent = new ArrayList<>();
        batcher.set(new Batcher(
                () -> node,
                batch -> {
                    sent.add(batch.calls.size());
                    CompletableFuture<byte[]> reply = new CompletableFuture<>();
                    replies.add(reply);
                    if (sent.size() == 334) {
                        List.copyOf(replies).forEach(each -> each.complete(new byte[0]));
                        node.answered(0, TimeUnit.MICROSECONDS.toNanos(70));
                        batcher.get().submit(last);
                    }
                    return reply;
                },
                new Node.Clock(),
                Duration.ofMillis(100),
                scheduler,
                Runnable::run,
                new OpenCalls(),
                new Listeners<>(List.of())));
        node.answered(0, TimeUnit.MILLISECONDS.toNanos(50));
        for (int i = 0; i < 340; i++) {
            batcher.get().submit(call(Duration.ofHours(1)));
        }
        assertThat(sent).hasSize(333);

        scheduled.remove().action.run();
        assertThat(sent).hasSize(334).endsWith(7);
        scheduled.remove().action.run();

        assertThat(sent).hasSize(335).endsWith(1);
    }

    @Test
    void aResetFailsByATimerSetToItsTimeout() {
        try (RedisProcess server = RedisProcess.start()) {
            RedisClient client = RedisClient.create(SharedThreads.ofLimiters(), server.uri());
            RateLimiter limiter = RedisRateLimiter.builder(RedisConnections.of(client.connect()))
                    .timeout(Duration.ofMillis(100))
                    .scheduler(scheduler)
                    .build();
            server.signal("STOP");

            CompletableFuture<Void> reset = limiter.resetAsync(TEN, "alice").toCompletableFuture();

            assertThat(scheduled).extracting(Check::afterMillis).containsExactly(100L);
            assertThat(reset).isNotDone();
            scheduled.remove().action.run();
            assertThat(reset).failsWithin(Duration.ofMinutes(1));
            client.shutdown(Duration.ZERO, Duration.ZERO);
        }
    }

    private static PendingCall call(Duration timeout) {
        return Asked.call(
                Operation.ACQUIRE, List.of(new Charge(TEN, "alice", 1)), 1, System.nanoTime() + timeout.toNanos());
    }
}
