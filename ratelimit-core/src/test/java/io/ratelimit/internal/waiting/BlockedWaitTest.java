package io.ratelimit.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.InTurn;
import io.ratelimit.testing.ManualTime;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Calls that wait for the end of a block. */
class BlockedWaitTest {

    private static final Limit LIMIT = Limit.of("partner", Algorithm.FIXED_WINDOW, 5, Duration.ofSeconds(1));

    private final ManualTime time = new ManualTime(TestTime.at("12:00:00"));
    private final RateLimiter store = InMemoryRateLimiter.create(1_000, time.clock());
    private long spreadNanos;
    private long mostNanos;
    private final WaitingRateLimiter limiter = instance();

    private WaitingRateLimiter instance() {
        return new WaitingRateLimiter(store, time.scheduler(), time::nanos, new InTurn(), most -> {
            mostNanos = most;
            return Math.min(spreadNanos, most);
        });
    }

    private static CompletableFuture<Decision> waits(RateLimiter limiter, long seconds) {
        return limiter.acquireAsync(Acquisition.of(LIMIT, "acme"), Duration.ofSeconds(seconds))
                .toCompletableFuture();
    }

    @Test
    void aCallWaitsForTheEndOfTheBlockAndNoShorter() {
        limiter.block(LIMIT, "acme", Duration.ofSeconds(30));
        CompletableFuture<Decision> waiting = waits(limiter, 30);

        time.passMicros(29_999_999);
        assertThat(waiting).isNotDone();
        time.passMicros(1);

        assertThat(waiting.join().allowed()).isTrue();
    }

    @Test
    void aBlockThatEndsTooLateRefusesAtOnce() {
        limiter.block(LIMIT, "acme", Duration.ofSeconds(30));

        Decision refused = waits(limiter, 29).join();

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void aSlotIsNotAskedForWhileItsLimitIsBlocked() {
        Limit slots = Limit.of("slots", Algorithm.CONCURRENCY, 5, Duration.ofMinutes(1));
        limiter.block(slots, "acme", Duration.ofSeconds(30));
        CompletableFuture<Decision> waiting = limiter.acquireAsync(
                        Acquisition.of(slots, "acme"), Duration.ofSeconds(40))
                .toCompletableFuture();

        time.passMicros(29_999_999);
        store.reset(slots, "acme"); // would be noticed by a call that asks every 100 ms
        time.passMicros(0);
        assertThat(waiting).isNotDone();
        time.passMicros(1);

        assertThat(waiting.join().allowed()).isTrue();
    }

    @Test
    void aBlockThatBeginsWhileCallsWaitRefusesThoseThatItOutlasts() {
        store.acquire(Acquisition.of(LIMIT, "acme", 5));
        CompletableFuture<Decision> patient = waits(limiter, 60);
        CompletableFuture<Decision> impatient = waits(limiter, 10);
        assertThat(List.of(patient, impatient)).noneMatch(CompletableFuture::isDone);

        limiter.block(LIMIT, "acme", Duration.ofSeconds(30));
        time.passSeconds(10);
        assertThat(impatient.join().allowed()).isFalse();
        time.passSeconds(20);

        assertThat(patient.join().allowed()).isTrue();
    }

    @Test
    void instancesComeBackSpreadOverATenthOfTheBlockAndASecondAtMost() {
        List<WaitingRateLimiter> instances =
                Stream.generate(this::instance).limit(3).toList();
        limiter.block(LIMIT, "acme", Duration.ofSeconds(5));
        spreadNanos = Duration.ofMillis(400).toNanos();
        CompletableFuture<Decision> late = waits(instances.get(0), 60);
        assertThat(mostNanos).isEqualTo(Duration.ofMillis(500).toNanos());
        spreadNanos = Duration.ofMillis(100).toNanos();
        CompletableFuture<Decision> early = waits(instances.get(1), 60);
        spreadNanos = Duration.ofHours(1).toNanos();
        CompletableFuture<Decision> inTime = waits(instances.get(2), 5);

        time.passMicros(5_000_000);
        assertThat(inTime.join().allowed()).as("not later than it waits").isTrue();
        assertThat(early).isNotDone();
        time.passMicros(100_000);
        assertThat(early.join().allowed()).isTrue();
        time.passMicros(299_999);
        assertThat(late).isNotDone();
        time.passMicros(1);
        assertThat(late.join().allowed()).isTrue();

        limiter.block(LIMIT, "acme", Duration.ofMinutes(1));
        waits(limiter, 90);
        assertThat(mostNanos).isEqualTo(Duration.ofSeconds(1).toNanos());
    }

    @Test
    void callsThatComeShortlyBeforeTheEndAreSpreadOverATenthOfTheWindow() {
        Limit longer = Limit.of("partner", Algorithm.FIXED_WINDOW, 5, Duration.ofSeconds(8));
        limiter.block(longer, "acme", Duration.ofSeconds(5));
        time.passMicros(4_990_000);

        limiter.acquireAsync(Acquisition.of(longer, "acme"), Duration.ofSeconds(60));

        assertThat(mostNanos).isEqualTo(Duration.ofMillis(800).toNanos());
    }

    @Test
    void waitingForQuotaIsNotSpread() {
        store.acquire(Acquisition.of(LIMIT, "acme", 5));
        spreadNanos = Duration.ofHours(1).toNanos();
        CompletableFuture<Decision> waiting = waits(limiter, 60);

        time.passMicros(1_000_000);

        assertThat(waiting.join().allowed()).isTrue();
    }
}
