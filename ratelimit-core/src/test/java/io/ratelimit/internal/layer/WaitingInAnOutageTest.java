package io.ratelimit.internal.layer;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.waiting.WaitingRateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.CountingRateLimiter;
import io.ratelimit.testing.InTurn;
import io.ratelimit.testing.LimiterStore;
import io.ratelimit.testing.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls that wait while this process decides by itself. */
class WaitingInAnOutageTest {

    private static final Acquisition ONE =
            Acquisition.of(Limit.of("hourly", Algorithm.SLIDING_WINDOW_LOG, 1, Duration.ofHours(1)), "alice");
    private static final Duration LONG = Duration.ofHours(10);

    private final ManualTime time = new ManualTime(0);
    private final CountingRateLimiter store = new CountingRateLimiter(InMemoryRateLimiter.create(10, time.clock()));
    private final Layer policy = new OnStoreFailure(
            new LimiterStore(store),
            InMemoryRateLimiter.create(10, time.clock()),
            FailurePolicy.LOCAL,
            new OutageLog(time::nanos));
    private final WaitingRateLimiter limiter =
            new WaitingRateLimiter(policy, time.scheduler(), time::nanos, new InTurn());

    @BeforeEach
    void useUpTheLimitOfThisProcess() {
        store.broken = true;
        limiter.acquire(ONE);
    }

    @Test
    void aCallIsAdmittedWithinASecondAfterTheStoreIsBack() {
        CompletableFuture<Decision> first = waits();
        CompletableFuture<Decision> second = waits();
        time.passSeconds(10);
        assertThat(first).isNotDone();

        store.broken = false;
        time.passSeconds(1);

        assertThat(first).isDone();
        assertThat(first.join().source()).isEqualTo(Decision.Source.STORE);
        assertThat(second).isNotDone();
        time.passSeconds(3_600 - 1);
        assertThat(second).isNotDone();
        time.passSeconds(1);
        assertThat(second.join().source()).isEqualTo(Decision.Source.STORE);
    }

    @Test
    void aCallOfAnOutageThatGoesOnIsAdmittedWhenItFitsHere() {
        CompletableFuture<Decision> first = waits();
        CompletableFuture<Decision> second = waits();

        time.passMicros(Duration.ofHours(1).toNanos() / 1_000 - 1);
        assertThat(first).isNotDone();
        time.passMicros(1);

        assertThat(first.join().source()).isEqualTo(Decision.Source.LOCAL);
        assertThat(second).isNotDone();
    }

    @Test
    void othersReckonWithWhatTheFirstWaitsFor() {
        assertThat(waits()).isNotDone();
        time.passSeconds(600);

        Decision refused = limiter.acquire(ONE, Duration.ofHours(1));

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofMinutes(110));
    }

    private CompletableFuture<Decision> waits() {
        return limiter.acquireAsync(ONE, LONG).toCompletableFuture();
    }
}
