package io.ratelimit;

import io.ratelimit.internal.Micros;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The time that a limit counts in: so many µs, or a period of the calendar. It belongs to the identity of a limit's counts, and
 * so does the number of parts that an estimate divides it into.
 * Immutable and thread-safe.
 *
 * @param micros length in µs; of a period of the calendar the length of the longest one
 * @param period the period of the calendar, if the window is one
 * @param buckets the equal parts that are counted apart, 1 unless it is divided
 */
public record Window(long micros, Optional<CalendarPeriod> period, int buckets) {

    /** Most parts of a window. */
    public static final int MOST_BUCKETS = 3_600;

    private static final long SHORTEST_MICROS = 1_000;
    private static final long LONGEST_MICROS = 366 * 86_400_000_000L;

    /**
     * @throws IllegalArgumentException if the length is not within 1 ms and 366 days, and there is no period; or if there are
     *     no or more than {@link #MOST_BUCKETS} parts, or a part would not be a whole number of µs
     */
    public Window {
        if (period.isEmpty() && (micros < SHORTEST_MICROS || micros > LONGEST_MICROS)) {
            throw new IllegalArgumentException(
                    "window-size '%s' must be at least 1ms and at most 366d".formatted(Micros.text(micros)));
        }
        if (buckets < 1 || buckets > MOST_BUCKETS) {
            throw new IllegalArgumentException(
                    "buckets '%d' must be at least 2 and at most %d".formatted(buckets, MOST_BUCKETS));
        }
        if (micros % buckets != 0) {
            throw new IllegalArgumentException("buckets '%d' do not divide window-size '%s' into whole µs: %s"
                    .formatted(buckets, Micros.text(micros), nearest(micros, buckets)));
        }
    }

    /** Creates a window of that length: [0, W), [W, 2W) and so on since 1970, or the last W, as the algorithm counts. */
    static Window of(long micros) {
        return new Window(micros, Optional.empty(), 1);
    }

    static Window of(CalendarPeriod period) {
        return new Window(period.longestMicros(), Optional.of(period), 1);
    }

    Window dividedInto(int parts) {
        return new Window(micros, period, parts);
    }

    /** Returns the length of a part in µs, that of the window if it is not divided. */
    public long partMicros() {
        return micros / buckets;
    }

    /** Returns the start of the window of the clock that contains that time, in µs since 1970. */
    public long startMicros(long atMicros) {
        return period.isEmpty() ? atMicros - atMicros % micros : period.get().startMicros(atMicros, 0);
    }

    /** Returns the end of the window of the clock that contains that time, in µs since 1970. */
    public long endMicros(long atMicros) {
        return period.isEmpty()
                ? atMicros - atMicros % micros + micros
                : period.get().startMicros(atMicros, 1);
    }

    private static String nearest(long micros, int buckets) {
        IntPredicate divides = parts -> parts >= 2 && parts <= MOST_BUCKETS && micros % parts == 0;
        return IntStream.range(1, MOST_BUCKETS)
                .flatMap(far -> IntStream.of(buckets - far, buckets + far))
                .filter(divides)
                .mapToObj("use '%d', the nearest number that does"::formatted)
                .findFirst()
                .orElse("no number does, so change window-size");
    }
}
