package io.ratelimit;

import io.ratelimit.internal.Micros;
import java.util.List;

/**
 * The numbers of a limit's bans: {@code after} refusals, or failures, within {@code withinMicros} begin a ban. The first
 * one lasts for the first length, the next one for the second, and all later ones for the last. Immutable and thread-safe.
 *
 * @param after refusals or failures that begin a ban, from 1 to {@link #MOST_REFUSALS}
 * @param withinMicros time in which they must come, in µs
 * @param lengthsMicros length of each ban in µs, none shorter than the one before
 * @param countsFailures whether failures begin a ban instead of refusals; a failure is a call that is settled at a cost
 *     above 0
 */
public record Ban(int after, long withinMicros, List<Long> lengthsMicros, boolean countsFailures) {

    /** Most refusals that a ban can wait for: each takes 7 bytes in Redis. */
    public static final int MOST_REFUSALS = 100;

    /** Most lengths. */
    public static final int MOST_LENGTHS = 10;

    private static final long SHORTEST_MICROS = 1_000;
    private static final long LONGEST_MICROS = 366L * 86_400_000_000L;

    /** @throws IllegalArgumentException if a number is out of range, or a length is shorter than the one before */
    public Ban {
        lengthsMicros = List.copyOf(lengthsMicros);
        if (after < 1 || after > MOST_REFUSALS) {
            throw new IllegalArgumentException(
                    "ban after '%d' refusals must be at least 1 and at most %d".formatted(after, MOST_REFUSALS));
        }
        if (lengthsMicros.isEmpty() || lengthsMicros.size() > MOST_LENGTHS) {
            throw new IllegalArgumentException("ban for '%d' lengths must have at least 1 and at most %d"
                    .formatted(lengthsMicros.size(), MOST_LENGTHS));
        }
        checkTime("within", withinMicros);
        long before = 0;
        for (long length : lengthsMicros) {
            checkTime("for", length);
            if (length < before) {
                throw new IllegalArgumentException("ban for '%s' must not be shorter than the ban before it, '%s'"
                        .formatted(Micros.text(length), Micros.text(before)));
            }
            before = length;
        }
    }

    /** Creates the numbers of bans that refusals begin. */
    public Ban(int after, long withinMicros, List<Long> lengthsMicros) {
        this(after, withinMicros, lengthsMicros, false);
    }

    /** Returns the same numbers for bans that failures begin, or refusals. */
    public Ban countingFailures(boolean failures) {
        return new Ban(after, withinMicros, lengthsMicros, failures);
    }

    /** Returns the length of the n-th ban, counted from 1. */
    public long lengthMicros(int ban) {
        return lengthsMicros.get(Math.min(ban, lengthsMicros.size()) - 1);
    }

    /** Returns for how long at most a record matters after it was written last. */
    public long longestLifeMicros() {
        long longest = lengthsMicros.get(lengthsMicros.size() - 1);
        return longest + Math.max(longest, withinMicros);
    }

    private static void checkTime(String name, long micros) {
        if (micros < SHORTEST_MICROS || micros > LONGEST_MICROS) {
            throw new IllegalArgumentException(
                    "ban %s '%s' must be at least 1ms and at most 366d".formatted(name, Micros.text(micros)));
        }
    }
}
