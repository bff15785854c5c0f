package io.ratelimit.internal;

import java.time.Duration;
import java.time.Instant;

/** Converts between the types of the API and whole µs, the unit of all internal times. */
public final class Micros {

    private Micros() {}

    /** Returns the duration in µs, truncated. */
    public static long of(Duration duration) {
        return duration.getSeconds() * 1_000_000 + duration.getNano() / 1_000;
    }

    /** Returns the µs since 1970, truncated. */
    public static long of(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }

    public static Duration toDuration(long micros) {
        return Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1_000);
    }

    public static Instant toInstant(long epochMicros) {
        return Instant.ofEpochSecond(epochMicros / 1_000_000, epochMicros % 1_000_000 * 1_000);
    }
}
