package io.ratelimit.memory;

import com.github.benmanes.caffeine.cache.Ticker;

/**
 * A clock for decisions that is also the cache's ticker. The ticker returns the time of the last decision, to about a
 * millisecond, so that a decision reads the clock only once. That is exact enough to find idle subjects. Thread-safe.
 */
final class TickingClock implements MicrosClock, Ticker {

    private static final long TICK_MICROS = 1_000;

    private final MicrosClock clock;
    private volatile long tickMicros;

    TickingClock(MicrosClock clock) {
        this.clock = clock;
        this.tickMicros = clock.nowMicros();
    }

    @Override
    public long nowMicros() {
        long nowMicros = clock.nowMicros();
        if (Math.abs(nowMicros - tickMicros) >= TICK_MICROS) {
            tickMicros = nowMicros;
        }
        return nowMicros;
    }

    /** Returns the time of the last decision, to about a millisecond. */
    long tickMicros() {
        return tickMicros;
    }

    @Override
    public long read() {
        return tickMicros * 1_000;
    }
}
