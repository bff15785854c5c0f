package io.ratelimit.memory;

import com.github.benmanes.caffeine.cache.Ticker;

/**
 * A clock for decisions, and what the cache takes for the time: that of about the last decision. So a decision reads the
 * time once only; the cache just wants to know who has been idle for long. Thread-safe.
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

    @Override
    public long read() {
        return tickMicros * 1_000;
    }
}
