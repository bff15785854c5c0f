package io.ratelimit.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.CountingRateLimiter;
import io.ratelimit.testing.InTurn;
import io.ratelimit.testing.ManualTime;
import io.ratelimit.testing.SlowRateLimiter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Threads that wait, and stores that fail or answer late meanwhile. */
class WaitingThreadTest {

    private static final Acquisition ONE =
            Acquisition.of(Limit.of("one", Algorithm.TOKEN_BUCKET, 1, Duration.ofSeconds(1)), "alice");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualTime time = new ManualTime(0);
    private final InMemoryRateLimiter memory = InMemoryRateLimiter.create(1_000, time.clock());
    private final CountingRateLimiter store = new CountingRateLimiter(memory);
    private final SlowRateLimiter slow = new SlowRateLimiter(memory);
    private final WaitingRateLimiter limiter = over(store);

    private record Ended(Decision decision, boolean interrupted) {}

    private WaitingRateLimiter over(RateLimiter limited) {
        return new WaitingRateLimiter(limited, time.scheduler(), time::nanos, new InTurn());
    }

    @ParameterizedTest
    @MethodSource("io.ratelimit.testing.Threads#kinds")
    void aThreadWaits(Function<Runnable, Thread> kind) {
        limiter.acquire(ONE);
        CompletableFuture<Ended> ended = new CompletableFuture<>();
        start(kind.apply(() -> waitIn(ended)));

        time.passSeconds(1);

        assertThat(ended.join().decision.allowed()).isTrue();
    }

    @Test
    void anInterruptedThreadWaitsNoLongerAndStaysInterrupted() {
        limiter.acquire(ONE);
        CompletableFuture<Ended> first = new CompletableFuture<>();
        Thread firstThread = start(new Thread(() -> waitIn(first)));
        CompletableFuture<Ended> second = new CompletableFuture<>();
        Thread secondThread = new Thread(() -> waitIn(second));
        secondThread.start();
        await().until(() -> limiter.waiting() == 2);

        secondThread.interrupt();
        Ended behind = second.join();
        firstThread.interrupt();
        Ended ahead = first.join();

        assertThat(behind.interrupted).isTrue();
        assertThat(behind.decision.allowed()).isFalse();
        assertThat(behind.decision.retryAfter()).isEqualTo(Duration.ofSeconds(2));
        assertThat(ahead.interrupted).isTrue();
        assertThat(ahead.decision.retryAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(limiter.waiting()).isZero();
    }

    @Test
    void aStoreThatFailsMeanwhileFailsTheCallThatAsks() {
        limiter.acquire(ONE);
        CompletableFuture<Decision> first = limiter.acquireAsync(ONE, MINUTE).toCompletableFuture();
        CompletableFuture<Decision> second = limiter.acquireAsync(ONE, MINUTE).toCompletableFuture();

        store.broken = true;
        time.passSeconds(1);

        assertThatThrownBy(first::join).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(second::join).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> limiter.acquire(ONE, MINUTE)).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void asksTheStoreOnceAtFirstAndThenWhenTheCallFits() {
        limiter.acquire(ONE);
        store.asked.set(0);
        limiter.acquireAsync(ONE, MINUTE);
        assertThat(store.asked).hasValue(1);

        time.passSeconds(1);

        assertThat(store.asked).hasValue(2);
    }

    @Test
    void aCallWhoseFirstAttemptIsInFlightHasItsPlaceInLine() {
        WaitingRateLimiter late = over(slow);
        memory.acquire(ONE);
        CompletableFuture<Decision> first = late.acquireAsync(ONE, MINUTE).toCompletableFuture();
        CompletableFuture<Decision> second = late.acquireAsync(ONE, MINUTE).toCompletableFuture();
        slow.answer();
        CompletableFuture<Decision> third = late.acquireAsync(ONE, MINUTE).toCompletableFuture();
        slow.answer();

        time.passSeconds(1);
        slow.answer();
        assertThat(first).isCompletedWithValueMatching(Decision::allowed);
        slow.answer(); // who is first now asks at once
        time.passSeconds(1);
        slow.answer();

        assertThat(second).isCompletedWithValueMatching(Decision::allowed);
        assertThat(third).isNotDone();
    }

    @Test
    void aCallThatDoesNotFitBehindThoseInFlightIsRefusedWhenTheseHaveBeen() {
        WaitingRateLimiter late = over(slow);
        memory.acquire(ONE);
        late.acquireAsync(ONE, Duration.ofSeconds(2));
        late.acquireAsync(ONE, Duration.ofSeconds(2));
        CompletableFuture<Decision> third =
                late.acquireAsync(ONE, Duration.ofSeconds(2)).toCompletableFuture();

        slow.answer();
        slow.answer();
        slow.answer();

        assertThat(third).isCompletedWithValueMatching(decision -> !decision.allowed());
    }

    @Test
    void whatIsChargedForACallThatHasGivenUpIsGivenBack() {
        WaitingRateLimiter late = over(slow);
        CompletableFuture<Decision> first = late.acquireAsync(ONE, MINUTE).toCompletableFuture();
        first.cancel(true);
        slow.answer();
        assertThat(memory.peek(ONE).allowed()).isTrue();

        memory.acquire(ONE);
        CompletableFuture<Decision> waiting = late.acquireAsync(ONE, MINUTE).toCompletableFuture();
        slow.answer();
        time.passSeconds(1);
        waiting.cancel(true);
        slow.answer();

        assertThat(memory.peek(ONE).allowed()).isTrue();
    }

    @Test
    void aReleaseThatComesWhileTheStoreIsAskedIsNoticed() {
        Acquisition slot = Acquisition.of(Limit.of("slot", Algorithm.CONCURRENCY, 1, Duration.ofHours(1)), "alice");
        WaitingRateLimiter late = over(slow);
        Decision held = memory.acquire(slot);
        CompletableFuture<Decision> waiting = late.acquireAsync(slot, MINUTE).toCompletableFuture();
        slow.answer();
        Decision other = memory.acquire(
                Acquisition.of(Limit.of("slot", Algorithm.CONCURRENCY, 2, Duration.ofHours(1)), "alice"));
        late.release(slot, held); // while the store is asked
        slow.answer();
        assertThat(waiting).isNotDone();

        late.release(slot, other);
        assertThat(slow.unanswered()).isEqualTo(1);
        slow.answer();

        assertThat(waiting.join().allowed()).isTrue();
    }

    private void waitIn(CompletableFuture<Ended> ended) {
        try {
            Decision decision = limiter.acquire(ONE, MINUTE);
            ended.complete(new Ended(decision, Thread.currentThread().isInterrupted()));
        } catch (RuntimeException failed) {
            ended.completeExceptionally(failed);
        }
    }

    /** Starts the thread and returns when it waits: in line, and with its alarm set. */
    private Thread start(Thread thread) {
        thread.start();
        await().until(() -> limiter.waiting() == 1 && thread.getState() == Thread.State.WAITING);
        return thread;
    }
}
