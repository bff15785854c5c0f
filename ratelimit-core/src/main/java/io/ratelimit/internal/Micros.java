package io.ratelimit.internal;

import java.time.Duration;
import java.time.Instant;

/** Converts between the types of the API and whole µs, the unit of all internal times. Also compares durations. */
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

    public static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    public static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Returns the duration in its largest whole unit, such as {@code 90m}; as ISO 8601 writes it if it is no whole number of µs. */
    public static String text(Duration duration) {
        long micros = of(duration);
        return toDuration(micros).equals(duration) ? text(micros) : duration.toString();
    }

    /** Returns the time in its largest whole unit, such as {@code 90m}, so that each has exactly one name. */
    public static String text(long micros) {
        if (micros == 0) {
            return "0s";
        } else if (micros % 1_000 != 0) {
            return micros + "us";
        } else if (micros % 1_000_000 != 0) {
            return micros / 1_000 + "ms";
        }
        long seconds = micros / 1_000_000;
        if (seconds % 60 != 0) {
            return seconds + "s";
        } else if (seconds % 3_600 != 0) {
            return seconds / 60 + "m";
        }
        return seconds % 86_400 != 0 ? seconds / 3_600 + "h" : seconds / 86_400 + "d";
    }

    public static Instant toInstant(long epochMicros) {
        return Instant.ofEpochSecond(epochMicros / 1_000_000, epochMicros % 1_000_000 * 1_000);
    }
}
