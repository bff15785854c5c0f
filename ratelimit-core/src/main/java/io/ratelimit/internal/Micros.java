package io.ratelimit.internal;

import java.time.Duration;
import java.time.Instant;

/** Whole µs, the unit of everything inside, from and to the types of the API. */
public final class Micros {

    private Micros() {}

    /** The duration in µs, parts of a µs cut off. */
    public static long of(Duration duration) {
        return duration.getSeconds() * 1_000_000 + duration.getNano() / 1_000;
    }

    /** µs since 1970. */
    public static long of(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }

    public static Duration toDuration(long micros) {
        return micros == 0 ? Duration.ZERO : Duration.ofNanos(micros * 1_000);
    }

    public static Instant toInstant(long epochMicros) {
        return Instant.ofEpochSecond(epochMicros / 1_000_000, epochMicros % 1_000_000 * 1_000);
    }
}
