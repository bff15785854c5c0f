package io.ratelimit.testing;

import io.ratelimit.internal.Micros;
import io.ratelimit.memory.MicrosClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** Stands still until it is told to move. Starts at noon, so that fixed windows of up to 12 h start then too. */
public final class SettableClock implements MicrosClock {

    private final AtomicLong micros = new AtomicLong(Micros.of(Instant.parse("2026-03-02T12:00:00Z")));

    @Override
    public long nowMicros() {
        return micros.get();
    }

    public void advance(Duration by) {
        micros.addAndGet(Micros.of(by));
    }
}
