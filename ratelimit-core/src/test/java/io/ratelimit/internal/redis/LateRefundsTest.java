package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.call.OpenCalls;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Refunds of replies that came too late, beside the calls of others. They have more time than these, and a batch that is too
 * late for one call is decided for none.
 */
class LateRefundsTest {

    private static final Limit LIMIT = Limit.of("ten", Algorithm.FIXED_WINDOW, 10, Duration.ofHours(1));

    private record Sent(List<PendingCall> calls, CompletableFuture<byte[]> reply) {}

    private final Node node = new Node(new Patience(Duration.ofMillis(100)), isReplica -> {});
    private final List<Sent> sent = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor scheduler = (ScheduledThreadPoolExecutor) Scheduler.newThread();
    private Batcher batcher = newBatcher();

    private Batcher newBatcher() {
        return new Batcher(
                () -> node,
                this::send,
                new Node.Clock(),
                Duration.ofSeconds(30),
                scheduler,
                Runnable::run,
                new OpenCalls(),
                new Listeners<>(List.of()));
    }

    @AfterEach
    void close() {
        scheduler.shutdownNow();
    }

    @Test
    void areSentBeforeOtherCallsAndApartFromThem() {
        node.answered(0, TimeUnit.MICROSECONDS.toNanos(70));
        batcher.submit(call());
        PendingCall other = call();
        PendingCall refund = lateRefund();
        batcher.submit(other);
        batcher.submit(refund);

        answer(0);
        Awaitility.await().until(() -> sent.size() >= 2);
        answer(1);
        Awaitility.await().until(() -> sent.size() == 3);

        assertThat(sent).extracting(Sent::calls).endsWith(List.of(refund), List.of(other));
    }

    @Test
    void waitForTheEndOfAPauseAndAreTheProbe() {
        long nanos = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
        for (int i = 0; i < 5; i++) {
            node.unanswered(nanos += 1_000, nanos, false);
        }
        PendingCall refund = lateRefund();
        batcher.submit(refund);
        long checks = scheduler.getCompletedTaskCount();
        Awaitility.await("three checks").until(() -> scheduler.getCompletedTaskCount() > checks + 3);
        assertThat(sent).isEmpty();
        assertThat(refund.isAnswered()).isFalse();

        node.reconnected();
        Awaitility.await("the probe").until(() -> !sent.isEmpty());
        PendingCall other = call();
        batcher.submit(other);

        assertThat(sent).extracting(Sent::calls).containsExactly(List.of(refund));
        assertThat(Asked.answer(other))
                .failsWithin(1, TimeUnit.MINUTES)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("calls are paused for a moment");
    }

    /** Redis has said that it has not made it, after its caller got a failure. */
    @ParameterizedTest
    @ValueSource(
            strings = {"TRYAGAIN Multiple keys request during rehashing of slot", "CLUSTERDOWN The cluster is down"})
    void areMadeOfASettlementThatALateErrorDenies(String error) {
        node.answered(0, TimeUnit.MICROSECONDS.toNanos(70));
        long deadline = System.nanoTime();
        PendingCall settlement = Asked.settling(
                List.of(new Charge(LIMIT, "alice", 1)),
                new long[1],
                decision(),
                deadline + TimeUnit.SECONDS.toNanos(1));
        batcher.submit(settlement);
        Awaitility.await().until(settlement::isAnswered);

        sent.get(0).reply().completeExceptionally(new RedisCommandExecutionException(error));

        Awaitility.await().until(() -> sent.size() == 2);
        assertThat(sent.get(1).calls()).singleElement().matches(PendingCall::isLate);
    }

    /** Ten minutes of attempts, one every 5 ms, would keep Redis busy for nothing. */
    @Test
    void areTriedAFewTimesASecondWhileTheirSlotIsMoving() {
        node.answered(0, TimeUnit.MICROSECONDS.toNanos(70));
        PendingCall refund;
        long answered;
        do { // again where the machine stands still until the refund is due
            batcher.failAll();
            batcher = newBatcher();
            sent.clear();
            refund = lateRefund();
            batcher.submit(refund);
            answered = System.nanoTime();

            sent.get(0).reply().completeExceptionally(new RedisCommandExecutionException("TRYAGAIN in the test"));
            batcher.submit(call());
        } while (System.nanoTime() - answered > TimeUnit.MILLISECONDS.toNanos(200));
        assertThat(sent).hasSize(2);
        answer(1);
        Awaitility.await().until(() -> sent.size() == 3);

        assertThat(sent.get(2).calls()).containsExactly(refund);
        assertThat(System.nanoTime() - answered).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(200));
    }

    @Test
    void failAtTheirDeadline() {
        node.answered(0, TimeUnit.MICROSECONDS.toNanos(70));
        batcher.submit(call());
        PendingCall refund = call().lateRefund(decision(), new OpenCalls(), 0);

        batcher.submit(refund);

        Awaitility.await().until(refund::isAnswered);
        assertThat(sent).hasSize(1);
    }

    @Test
    void oneThreadRepeatsASettlementThatSeveralFindFailed() {
        PendingCall settlement =
                Asked.settling(List.of(new Charge(LIMIT, "alice", 1)), new long[1], decision(), System.nanoTime());
        assertThat(settlement.claimsRepetition()).isFalse();

        settlement.completeExceptionally(new StoreUnavailableException("silent in the test"));

        assertThat(settlement.claimsRepetition()).isTrue();
        assertThat(settlement.claimsRepetition()).isFalse();
    }

    private static PendingCall call() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        return Asked.call(Operation.ACQUIRE, List.of(new Charge(LIMIT, "alice", 1)), 1, deadline);
    }

    private static PendingCall lateRefund() {
        return call().lateRefund(decision(), new OpenCalls(), TimeUnit.MINUTES.toNanos(1));
    }

    private static Decision decision() {
        return Decision.of(List.of(LimitStatus.ofMicros(LIMIT, 0, 0, 0)), Instant.EPOCH);
    }

    private CompletableFuture<byte[]> send(Batch batch) {
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        sent.add(new Sent(batch.calls, reply));
        return reply;
    }

    private void answer(int index) {
        sent.get(index).reply().completeExceptionally(new RedisCommandExecutionException("ERR chosen by the test"));
    }
}
