package io.ratelimit.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.InTurn;
import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Threads that join one line, leave it, give up in it and free what those ahead wait for, all at once. */
class CrowdedLineTest {

    private static final int LINES = 300;
    private static final int THREADS = 4;
    private static final int CALLS = 60;
    private static final long SLOTS = 3;
    private static final Limit LIMIT = Limit.of("slots", Algorithm.CONCURRENCY, SLOTS, Duration.ofDays(1));
    private static final Duration LONG = Duration.ofHours(1);

    static List<Executor> callbacks() {
        return List.of(new InTurn(), ForkJoinPool.commonPool());
    }

    /** No alarm ever rings: a call that is forgotten waits for ever. */
    @ParameterizedTest
    @MethodSource("callbacks")
    void everyCallIsAdmittedOnceAndNoSlotIsLost(Executor callbacks) {
        for (int line = 0; line < LINES; line++) {
            int number = line;
            WaitingRateLimiter limiter = new WaitingRateLimiter(
                    InMemoryRateLimiter.create(),
                    (delayNanos, action) -> new CompletableFuture<>(),
                    System::nanoTime,
                    callbacks);

            Threads.run(THREADS, thread -> () -> {
                SeededRandom random = SeededRandom.of("line %d, thread %d".formatted(number, thread));
                for (int i = 0; i < CALLS; i++) {
                    callOnce(limiter, Acquisition.of(LIMIT, "alice", random.between(1, SLOTS)), random);
                }
                return thread;
            });

            assertThat(limiter.waiting()).isZero();
            await().until(() -> limiter.peek(Acquisition.of(LIMIT, "alice")).remaining() == SLOTS);
        }
    }

    private static void callOnce(WaitingRateLimiter limiter, Acquisition call, SeededRandom random) throws Exception {
        if (random.oneIn(4)) {
            release(limiter, call, limiter.acquire(call, LONG));
            return;
        }
        CompletableFuture<Decision> called = limiter.acquireAsync(call, LONG).toCompletableFuture();
        if (!random.oneIn(3) || !givesUp(called, random)) {
            release(limiter, call, called.get(1, TimeUnit.MINUTES));
        }
    }

    private static boolean givesUp(CompletableFuture<Decision> called, SeededRandom random) {
        for (long spins = random.between(0, 200); spins > 0; spins--) {
            Thread.onSpinWait();
        }
        return called.cancel(true);
    }

    private static void release(WaitingRateLimiter limiter, Acquisition call, Decision decision) {
        assertThat(decision.allowed()).isTrue();
        limiter.release(call, decision);
    }
}
