package io.ratelimit.memory;

import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An entry that leaves the cache as idle while a thread, which was held up since it looked it up, still charges it. */
class RetiredEntryTest {

    private static final long SECOND = 1_000_000;

    private final AtomicLong now = new AtomicLong(at("12:00:00"));
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private volatile Thread heldUp;
    private final InMemoryRateLimiter limiter = InMemoryRateLimiter.create(1_000, this::time);

    /** Holds up the first call of the one thread, which has looked up its entry and has its lock. */
    private long time() {
        if (Thread.currentThread() == heldUp && held.getCount() > 0) {
            held.countDown();
            await(goesOn);
        }
        return now.get();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"UNIQUE_COUNT", "APPROXIMATE_UNIQUE_COUNT", "CONCURRENCY"})
    void keepsTheTimeOfItsLastDecision(Algorithm algorithm) {
        Acquisition all = Acquisition.of(Limit.of("ten", algorithm, 10, Duration.ofSeconds(1)), "alice", 10);
        limiter.acquire(Acquisition.of(all.charges().get(0).limit(), "alice"));
        now.addAndGet(3 * SECOND);
        CompletableFuture<Decision> charged = new CompletableFuture<>();
        heldUp = new Thread(() -> charged.complete(limiter.acquire(all)));
        heldUp.start();
        await(held);
        limiter.acquire(Acquisition.of(all.charges().get(0).limit(), "bob")); // from now on the cache knows the time
        CompletableFuture<Decision> refused = new CompletableFuture<>();
        Thread other = new Thread(() -> refused.complete(limiter.acquire(all)));
        other.start();
        Awaitility.await().until(() -> other.getState() == Thread.State.BLOCKED);
        now.addAndGet(9 * SECOND / 10);

        goesOn.countDown();

        assertThat(charged.join().allowed()).isTrue();
        assertThat(refused.join().allowed()).isFalse();
        now.addAndGet(Math.max(1, refused.join().retryAfter().toNanos() / 1_000) - 1);
        assertThat(limiter.peek(all).allowed()).isFalse();
        now.addAndGet(1);
        assertThat(limiter.peek(all).allowed()).isTrue();
        assertThat(refused.join().retryAfter())
                .isGreaterThan(Duration.ofMillis(algorithm == Algorithm.FIXED_WINDOW ? 99 : 900));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }
}
