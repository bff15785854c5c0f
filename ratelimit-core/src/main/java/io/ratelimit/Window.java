package io.ratelimit;

import java.util.Optional;

/**
 * The time that a limit counts in: so many µs, or a period of the calendar. It belongs to the identity of a limit's counts.
 * Immutable and thread-safe.
 *
 * @param micros length in µs; of a period of the calendar the length of the longest one
 * @param period the period of the calendar, if the window is one
 */
public record Window(long micros, Optional<CalendarPeriod> period) {

    private static final long DAY_MICROS = 86_400_000_000L;
    private static final long SHORTEST_MICROS = 1_000;
    private static final long LONGEST_MICROS = 366 * DAY_MICROS;

    /** @throws IllegalArgumentException if the length is not within 1 ms and 366 days, and there is no period */
    public Window {
        if (period.isEmpty() && (micros < SHORTEST_MICROS || micros > LONGEST_MICROS)) {
            throw new IllegalArgumentException(
                    "window-size '%s' must be at least 1ms and at most 366d".formatted(text(micros)));
        }
    }

    /** Creates a window of that length: [0, W), [W, 2W) and so on since 1970, or the last W, as the algorithm counts. */
    static Window of(long micros) {
        return new Window(micros, Optional.empty());
    }

    static Window of(CalendarPeriod period) {
        return new Window(period.longestMicros(), Optional.of(period));
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

    static String text(long micros) {
        if (micros != 0 && micros % DAY_MICROS == 0) {
            return micros / DAY_MICROS + "d";
        }
        return micros % 1_000 == 0 ? micros / 1_000 + "ms" : micros + "us";
    }
}
