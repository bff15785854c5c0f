package io.ratelimit.testing;

import io.ratelimit.internal.Micros;
import io.ratelimit.memory.MicrosClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test sets it. Starts at noon, where fixed windows of up to 12 h start too. */
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
