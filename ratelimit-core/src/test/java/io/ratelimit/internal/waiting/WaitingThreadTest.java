package io.ratelimit.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.CountingRateLimiter;
import io.ratelimit.testing.InTurn;
import io.ratelimit.testing.ManualTime;
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
    private final WaitingRateLimiter limiter =
            new WaitingRateLimiter(store, time.scheduler(), time::nanos, new InTurn());

    private record Ended(Decision decision, boolean interrupted) {}

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
