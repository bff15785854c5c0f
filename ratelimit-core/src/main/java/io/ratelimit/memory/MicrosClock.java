package io.ratelimit.memory;

import io.ratelimit.internal.Micros;
import java.time.Instant;

/** Returns the time in µs since 1970. Implementations must be thread-safe. */
@FunctionalInterface
public interface MicrosClock {

    long nowMicros();

    /**
     * Returns a clock that starts at the system time and then follows elapsed time, so setting the system clock has no
     * effect.
     */
    static MicrosClock steady() {
        long startMicros = Micros.of(Instant.now());
        long startNanos = System.nanoTime();
        return () -> startMicros + (System.nanoTime() - startNanos) / 1_000;
    }
}
