package io.ratelimit.test;

import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.memory.MicrosClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * The time of the limits in a test. Stands still until the test moves it. Each test method starts at midnight UTC, where
 * fixed windows of up to a day start too. Injectable where {@link AutoConfigureTestRateLimiter} is; thread-safe.
 *
 * <p>Without Spring it is the clock of a limiter in memory:
 *
 * <pre>{@code
 * TestClock clock = new TestClock();
 * RateLimiter limiter = InMemoryRateLimiter.create(1_000, clock);
 * }</pre>
 */
public final class TestClock implements MicrosClock {

    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

    /** Returns the time of the limits. */
    public Instant now() {
        return now;
    }

    /**
     * Moves the time forward.
     *
     * @throws IllegalArgumentException if {@code by} is negative, because time in a store never goes back
     */
    public synchronized void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException(
                    "'%s' must not be negative: a store's time never goes back".formatted(by));
        }
        now = now.plus(by);
    }

    @Override
    public long nowMicros() {
        Instant instant = now;
        return TimeUnit.SECONDS.toMicros(instant.getEpochSecond()) + TimeUnit.NANOSECONDS.toMicros(instant.getNano());
    }

    /** Starts a test method: forgets the counts, and moves on to the next midnight. */
    synchronized void restart(InMemoryRateLimiter counts) {
        now = now.truncatedTo(ChronoUnit.DAYS).plus(1, ChronoUnit.DAYS);
        counts.resetAll();
    }
}
