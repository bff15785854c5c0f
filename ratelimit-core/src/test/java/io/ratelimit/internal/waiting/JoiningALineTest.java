package io.ratelimit.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.InTurn;
import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A call that joins a line at the moment in which another thread frees the slot that the call ahead waits for. */
class JoiningALineTest {

    private static final int ROUNDS = 20_000;
    private static final Duration LONG = Duration.ofHours(1);
    private static final Acquisition SLOT =
            Acquisition.of(Limit.of("slot", Algorithm.CONCURRENCY, 1, Duration.ofDays(1)), "alice");

    private final SeededRandom random = SeededRandom.of("joining");
    private final CyclicBarrier together = new CyclicBarrier(2);
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    /** Time passes nowhere: a call that is forgotten waits for ever. */
    private final WaitingRateLimiter limiter = new WaitingRateLimiter(
            InMemoryRateLimiter.create(), (delayNanos, action) -> new CompletableFuture<>(), () -> 0, new InTurn());

    @AfterEach
    void end() {
        threads.shutdownNow();
        limiter.close();
    }

    @Test
    void isAdmittedAfterTheCallAhead() throws Exception {
        Decision held = limiter.acquire(SLOT);
        for (int i = 0; i < ROUNDS; i++) {
            held = round(held);
        }

        limiter.release(SLOT, held);
        assertThat(limiter.waiting()).isZero();
        assertThat(limiter.peek(SLOT).remaining()).isEqualTo(1);
    }

    private Decision round(Decision held) throws Exception {
        CompletableFuture<Decision> ahead = acquire();
        Future<CompletableFuture<Decision>> joined = atOnce(this::acquire);
        Future<Decision> freed = atOnce(() -> {
            limiter.release(SLOT, held);
            return held;
        });
        joined.get();
        freed.get();
        limiter.release(SLOT, admitted(ahead));
        return admitted(joined.get());
    }

    private CompletableFuture<Decision> acquire() {
        return limiter.acquireAsync(SLOT, LONG).toCompletableFuture();
    }

    /** Both things are done at the same time, one a little later. */
    private <T> Future<T> atOnce(Callable<T> task) {
        long spins = random.between(0, 300);
        return threads.submit(() -> {
            together.await();
            for (long i = 0; i < spins; i++) {
                Thread.onSpinWait();
            }
            return task.call();
        });
    }

    private static Decision admitted(CompletableFuture<Decision> call) throws Exception {
        Decision decision = call.get(1, TimeUnit.MINUTES);
        assertThat(decision.allowed()).isTrue();
        return decision;
    }
}
