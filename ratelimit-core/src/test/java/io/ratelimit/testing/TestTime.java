package io.ratelimit.testing;

import java.time.Instant;
import java.time.LocalTime;

/** Times for tests, in µs: a day in 2026 whose midnight is a boundary of every window that divides a day. */
public final class TestTime {

    public static final long SECOND = 1_000_000;
    public static final long MINUTE = 60 * SECOND;
    public static final long HOUR = 60 * MINUTE;
    public static final long DAY = 24 * HOUR;

    private static final long MIDNIGHT = Instant.parse("2026-03-14T00:00:00Z").getEpochSecond() * SECOND;

    private TestTime() {}

    /** That time of the day, such as {@code 12:04:31} or {@code 12:04:31.25}, in µs since 1970. */
    public static long at(String timeOfDay) {
        return MIDNIGHT + LocalTime.parse(timeOfDay).toNanoOfDay() / 1_000;
    }
}
