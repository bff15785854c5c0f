package io.ratelimit.memory;

import io.ratelimit.internal.Micros;
import java.time.Instant;

/** Tells the time in µs since 1970. Implementations are thread-safe. */
@FunctionalInterface
public interface MicrosClock {

    long nowMicros();

    /** The system's time when this is called, and from then on what has passed since: a clock that is set moves nothing. */
    static MicrosClock steady() {
        long startMicros = Micros.of(Instant.now());
        long startNanos = System.nanoTime();
        return () -> startMicros + (System.nanoTime() - startNanos) / 1_000;
    }
}
