package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.StoreListener.Outcome;
import io.ratelimit.StoreListener.RoundTrip;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.call.OpenCalls;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When calls are sent, with script calls whose replies the test chooses. */
class BatcherTest {

    private static final Duration TIMEOUT = Duration.ofMillis(200);
    private static final Limit LIMIT = Limit.of("ten", Algorithm.TOKEN_BUCKET, 10, Duration.ofHours(1));

    private record Sent(int calls, CompletableFuture<byte[]> reply) {}

    private final List<Sent> sent = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor scheduler = (ScheduledThreadPoolExecutor) Scheduler.newThread();
    private final Node node = new Node(new Patience(Duration.ofMillis(100)), isReplica -> {});
    private final List<RoundTrip> roundTrips = new CopyOnWriteArrayList<>();
    private boolean broken;
    private Function<CompletableFuture<byte[]>, CompletableFuture<byte[]>> onSend = Function.identity();
    private final Batcher batcher = new Batcher(
            () -> node,
            this::send,
            new Node.Clock(),
            TIMEOUT,
            scheduler,
            Runnable::run,
            new OpenCalls(),
            new Listeners<>(List.of(this::breaks, roundTrips::add)));

    @AfterEach
    void close() {
        scheduler.shutdownNow();
    }

    @Test
    void aCallIsSentAtOnceAndAloneWhileNothingIsInFlight() {
        roundTripOf(70);

        submit();

        assertThat(sent).extracting(Sent::calls).containsExactly(1);
    }

    @Test
    void onALoopbackCallsGatherWhileABatchIsInFlight() {
        roundTripOf(70);
        submit();
        submit();
        submit();
        assertThat(sent).hasSize(1);

        reply(0);

        awaitSent(3);
        assertThat(sent).extracting(Sent::calls).containsExactly(1, 2);
    }

    @Test
    void onANetworkAsManyBatchesAreInFlightAsTheRoundTripAllows() {
        roundTripOf(1_000);
        for (int i = 0; i < 10; i++) {
            submit();
        }
        assertThat(sent).hasSize(6);

        for (int i = 0; i < 6; i++) {
            reply(i);
        }

        awaitSent(10);
        assertThat(sent).extracting(Sent::calls).containsExactly(1, 1, 1, 1, 1, 1, 4);
    }

    @Test
    void onALongWayABurstLeavesWithoutWaitingForAReply() {
        roundTripOf(50_000);
        for (int i = 0; i < 1_000; i++) {
            submit(Duration.ofMinutes(1));
        }

        awaitSent(1_000);
    }

    /** The thread that sends may stand still between the write and what it does next, while the reply arrives. */
    @Test
    void aRoundTripLastsFromBeforeTheBatchIsSent() {
        onSend = reply -> {
            long startNanos = System.nanoTime();
            while (System.nanoTime() - startNanos < TimeUnit.MILLISECONDS.toNanos(1)) {
                Thread.onSpinWait();
            }
            reply.complete(new byte[0]);
            return reply;
        };

        submit();

        assertThat(node.roundTrips().mostInFlight()).isGreaterThanOrEqualTo(6);
    }

    @Test
    void aCallerThatCancelsDoesNotCountAgainstTheNode() {
        roundTripOf(70);
        Asked.cancel(submit());

        Awaitility.await("three checks").until(() -> scheduler.getCompletedTaskCount() >= 3);

        assertThat(roundTrips).as("no outcome yet").isEmpty();
    }

    @Test
    void aBatchWithoutWaitingCallersMakesWayForOthers() {
        roundTripOf(70);
        PendingCall first = submitUntilSent(TIMEOUT);
        PendingCall second = submit(first.deadlineNanos - TIMEOUT.dividedBy(2).toNanos());

        assertThat(Asked.answer(first))
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableOfType(ExecutionException.class);
        assertThat(Asked.answer(second))
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableOfType(ExecutionException.class);
        submit();

        Awaitility.await().until(() -> sent.size() == 2);
        assertThat(sent.get(1).calls()).as("the second was never sent").isEqualTo(1);
    }

    /** With it in the batch, whose deadline is the earliest of its calls, the others would have to be sent again. */
    @Test
    void aCallIsNotSentAfterItsTimeThoughSomebodyElseCompletedIt() {
        roundTripOf(70);
        submit();
        PendingCall first = submit(Duration.ZERO);
        PendingCall second = submit(Duration.ZERO);
        Asked.answer(first).whenComplete((decision, failure) -> Asked.cancel(second));
        submit();

        reply(0);

        awaitSent(2);
        assertThat(sent).extracting(Sent::calls).containsExactly(1, 1);
    }

    /** A check was scheduled for the batch in flight, but never runs. */
    @Test
    void aCallAfterTheShutdownFailsThoughAnEarlierOneIsInFlight() {
        roundTripOf(70);
        submit();
        scheduler.shutdownNow();

        assertThat(Asked.answer(submit()))
                .failsWithin(1, TimeUnit.MINUTES)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("closed");
    }

    @Test
    void nothingIsSentToANodeThatKeepsSilent() {
        keepSilent();

        PendingCall call = submit();

        assertThat(sent).isEmpty();
        assertThat(Asked.answer(call))
                .failsWithin(1, TimeUnit.MINUTES)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("calls are paused for a moment");
    }

    @Test
    void anErrorThatRedisAnswersDoesNotCountAgainstTheNode() {
        for (int i = 0; i < 20; i++) {
            PendingCall call = submit();
            sent.get(i).reply().completeExceptionally(new RedisCommandExecutionException("ERR wrong by the test"));
            assertThat(Asked.answer(call))
                    .failsWithin(1, TimeUnit.MINUTES)
                    .withThrowableOfType(ExecutionException.class);
        }

        assertThat(node.breaker().permits(System.nanoTime())).isTrue();
    }

    @Test
    void listenersReceiveTheOutcomeOfEachBatchAndNoneOfThemCanFailACall() {
        roundTripOf(70);
        submit();
        submit();
        submit();
        sent.get(0).reply().complete(new byte[0]);
        Awaitility.await().until(() -> sent.size() == 2);
        sent.get(1).reply().completeExceptionally(new RedisCommandExecutionException("ERR wrong by the test"));
        PendingCall unanswered = submitUntilSent(TIMEOUT.dividedBy(4));
        Duration left = Duration.ofNanos(unanswered.deadlineNanos - System.nanoTime());

        Awaitility.await().until(() -> roundTrips.size() == 3);

        assertThat(roundTrips)
                .extracting(RoundTrip::outcome)
                .containsExactly(Outcome.ANSWERED, Outcome.ERROR, Outcome.UNANSWERED);
        assertThat(roundTrips).extracting(RoundTrip::calls).containsExactly(1, 2, 1);
        assertThat(roundTrips).extracting(RoundTrip::keys).containsExactly(1, 1, 1);
        assertThat(roundTrips.get(2).duration())
                .as("from when it was sent to when its caller's time was over")
                .isGreaterThanOrEqualTo(left);
    }

    @Test
    void aBatchWhoseSlotIsMovingIsRepeatedCallByCall() {
        roundTripOf(70);
        submit();
        submit();
        submit();
        reply(0);
        Awaitility.await().until(() -> sent.size() == 2);

        sent.get(1).reply().completeExceptionally(tryAgain());
        Awaitility.await().until(() -> sent.size() == 4);
        assertThat(sent).extracting(Sent::calls).containsExactly(1, 2, 1, 1);

        sent.get(2).reply().completeExceptionally(tryAgain());
        Awaitility.await().until(() -> sent.size() == 5);
    }

    @Test
    void aCallWhoseSlotIsMovingIsRepeatedUntilItIsOverdue() {
        roundTripOf(70);
        onSend = reply -> {
            reply.completeExceptionally(tryAgain());
            return reply;
        };

        PendingCall moving = submitUntilSent(TIMEOUT);

        assertThat(Asked.answer(moving))
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("TRYAGAIN");
    }

    /** Redis can decide others of the slot. */
    @Test
    void callsWhoseSlotIsMovingHoldUpNoOthers() {
        roundTripOf(70);
        submit();

        sent.get(0).reply().completeExceptionally(tryAgain());
        submit();

        assertThat(sent).hasSize(2);
    }

    @Test
    void whatWaitsBehindABatchWithoutWaitingCallersIsSent() {
        roundTripOf(70);
        submitUntilSent(TIMEOUT);
        int before = sent.size();
        submit();

        Awaitility.await().until(() -> sent.size() == before + 1);
    }

    @Test
    void whatWaitsForANodeThatHasBecomeSilentFailsWithoutBeingSent() {
        roundTripOf(70);
        submit();
        PendingCall queued = submit();
        keepSilent();

        reply(0);

        assertThat(Asked.answer(queued))
                .failsWithin(1, TimeUnit.MINUTES)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("calls are paused for a moment");
        assertThat(sent).hasSize(1);
    }

    @Test
    void aBatchThatCannotBeSentFailsAndMakesWayForOthers() {
        broken = true;
        assertThat(Asked.answer(submit())).isCompletedExceptionally();
        broken = false;

        submit();

        assertThat(sent).hasSize(1);
    }

    @Test
    void everythingOutstandingFailsAtOnceInTheEnd() {
        roundTripOf(70);
        List<PendingCall> calls = List.of(submit(), submit(), submit());
        assertThat(batcher.outstanding()).containsExactlyInAnyOrderElementsOf(calls);

        batcher.failAll();

        assertThat(calls).allSatisfy(call -> assertThat(Asked.answer(call)).isCompletedExceptionally());
    }

    @Test
    void nothingIsCheckedOnceNothingIsOutstanding() {
        submit();
        Awaitility.await().until(() -> !scheduler.getQueue().isEmpty()); // it is empty while a check runs

        reply(0);

        Awaitility.await().until(() -> scheduler.getQueue().isEmpty());
    }

    private void keepSilent() {
        long nanos = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
        for (int i = 0; i < 5; i++) {
            node.unanswered(nanos += 1_000, nanos, false);
        }
    }

    private PendingCall submit() {
        return submit(Duration.ofSeconds(30));
    }

    private PendingCall submit(Duration timeout) {
        return submit(System.nanoTime() + timeout.toNanos());
    }

    /** Returns a call that was sent: not one whose time was over before, because the machine stood still. */
    private PendingCall submitUntilSent(Duration timeout) {
        int before = sent.size();
        PendingCall call = submit(timeout);
        return sent.size() > before ? call : submitUntilSent(timeout);
    }

    private PendingCall submit(long deadlineNanos) {
        PendingCall call = Asked.call(Operation.ACQUIRE, List.of(new Charge(LIMIT, "alice", 1)), 1, deadlineNanos);
        batcher.submit(call);
        return call;
    }

    /** Waits for the batch of another thread, too: a check sends what is queued if round trips have become long. */
    private void awaitSent(int calls) {
        Awaitility.await().until(() -> sent.stream().mapToInt(Sent::calls).sum() == calls);
    }

    private CompletableFuture<byte[]> send(Batch batch) {
        if (broken) {
            throw new IllegalStateException("chosen by the test");
        }
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        sent.add(new Sent(batch.calls.size(), reply));
        return onSend.apply(reply);
    }

    private void reply(int index) {
        sent.get(index).reply().completeExceptionally(new RedisCommandExecutionException("ERR chosen by the test"));
    }

    private static RedisCommandExecutionException tryAgain() {
        return new RedisCommandExecutionException("TRYAGAIN Multiple keys request during rehashing of slot");
    }

    private void breaks(RoundTrip roundTrip) {
        throw new IllegalStateException("a listener that fails changes nothing");
    }

    private void roundTripOf(long micros) {
        long nanos = System.nanoTime();
        node.answered(nanos, nanos + TimeUnit.MICROSECONDS.toNanos(micros));
    }
}
