package io.ratelimit;

import io.ratelimit.internal.Micros;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.Locale;
import java.util.Objects;

/**
 * A period of the calendar that a limit counts in: a day, week, month, quarter or year of a time zone. Each begins at
 * midnight, or at the first instant of a day that has no midnight because clocks are put forward then. Immutable and
 * thread-safe.
 *
 * <pre>{@code
 * CalendarPeriod billed = CalendarPeriod.of(CalendarPeriod.Unit.MONTH, ZoneId.of("Europe/Paris")).startingOn(14);
 * Limit quota = Limit.of("quota", 10_000, billed);
 * }</pre>
 *
 * <p>This quota is free again on the 14th of each month at 00:00 in Paris. Periods are as long as the calendar says: a day of
 * 23 or 25 hours when clocks change, a month of 28 to 31 days. They follow the rules for time zones of the Java runtime, so all
 * instances should have the same.
 */
public final class CalendarPeriod {

    /** The lengths of periods, each with the day on which one starts unless {@link CalendarPeriod#startingOn} says another. */
    public enum Unit {
        /** From midnight to midnight. */
        DAY(0, 1, 1),
        /** Seven days, from Monday (1) unless another day of the week is said. */
        WEEK(0, 7, 7),
        /** From a day of each month to that of the next one. */
        MONTH(1, 31, 31),
        /** From a day of January, April, July and October. */
        QUARTER(3, 31, 92),
        /** From a day of January. */
        YEAR(12, 31, 366);

        private final int months;
        private final int lastStart;
        private final int mostDays;

        Unit(int months, int lastStart, int mostDays) {
            this.months = months;
            this.lastStart = lastStart;
            this.mostDays = mostDays;
        }

        /** Returns the name in configuration and keys, such as {@code month}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Unit unit;
    private final ZoneId zone;
    private final int startsOn;
    private volatile long[] last = new long[4];

    private CalendarPeriod(Unit unit, ZoneId zone, int startsOn) {
        this.unit = Objects.requireNonNull(unit, "unit");
        this.zone = Objects.requireNonNull(zone, "zone");
        this.startsOn = startsOn;
        if (startsOn < 1 || startsOn > unit.lastStart) {
            throw new IllegalArgumentException(
                    unit == Unit.DAY
                            ? "starts-on '%d' is not supported by calendar 'day', which starts at midnight: leave it out"
                                    .formatted(startsOn)
                            : "starts-on '%d' of calendar '%s' must be at least 1 and at most %d"
                                    .formatted(startsOn, unit.label(), unit.lastStart));
        }
    }

    /** Creates the period that starts on its first day: Monday, the first of a month, or the first of January. */
    public static CalendarPeriod of(Unit unit, ZoneId zone) {
        return new CalendarPeriod(unit, zone, 1);
    }

    /**
     * Returns this period with another first day. Where a month is shorter, it is the month's last day: a period that starts
     * on the 31st starts on the 28th or 29th of February.
     *
     * @param day of the week from 1 (Monday) to 7, or else of the month from 1 to 31
     * @throws IllegalArgumentException if there is no such day, or it is not 1 and the period is a day
     */
    public CalendarPeriod startingOn(int day) {
        return new CalendarPeriod(unit, zone, day);
    }

    /**
     * Returns the start of the period that contains a time, or of one near it.
     *
     * @param atMicros µs since 1970
     * @param later 0 for that period, 1 for the next, 2 for the one after that, -1 for the one before
     * @return µs since 1970
     */
    public long startMicros(long atMicros, int later) {
        long[] starts = last;
        if (atMicros < starts[1] || atMicros >= starts[2]) {
            starts = startsAround(atMicros);
            last = starts;
        }
        return starts[1 + later];
    }

    /** Returns the time zone whose midnights begin and end the periods. */
    public ZoneId zone() {
        return zone;
    }

    /** Returns the length of the longest period, in µs. */
    long longestMicros() {
        return ChronoUnit.DAYS.getDuration().toNanos() / 1_000 * unit.mostDays
                + ChronoUnit.HOURS.getDuration().toNanos() / 1_000;
    }

    private long[] startsAround(long atMicros) {
        LocalDate start = startDate(Micros.toInstant(atMicros).atZone(zone).toLocalDate());
        LocalDate before = startDate(start.minusDays(1));
        LocalDate next = startAfter(start);
        return new long[] {midnight(before), midnight(start), midnight(next), midnight(startAfter(next))};
    }

    private LocalDate startDate(LocalDate date) {
        return switch (unit) {
            case DAY -> date;
            case WEEK -> date.with(TemporalAdjusters.previousOrSame(DayOfWeek.of(startsOn)));
            default -> {
                YearMonth month = YearMonth.from(date);
                LocalDate start = startIn(month.minusMonths((month.getMonthValue() - 1) % unit.months));
                yield date.isBefore(start) ? startIn(YearMonth.from(start).minusMonths(unit.months)) : start;
            }
        };
    }

    private LocalDate startAfter(LocalDate start) {
        return switch (unit) {
            case DAY, WEEK -> start.plusDays(unit.mostDays);
            default -> startIn(YearMonth.from(start).plusMonths(unit.months));
        };
    }

    private LocalDate startIn(YearMonth month) {
        return month.atDay(Math.min(startsOn, month.lengthOfMonth()));
    }

    private long midnight(LocalDate date) {
        return Micros.of(date.atStartOfDay(zone).toInstant());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CalendarPeriod period
                && unit == period.unit
                && zone.equals(period.zone)
                && startsOn == period.startsOn;
    }

    @Override
    public int hashCode() {
        return Objects.hash(unit, zone, startsOn);
    }

    /** Returns unit, first day and zone, such as {@code month-14@Europe/Paris}. */
    @Override
    public String toString() {
        return unit.label() + '-' + startsOn + '@' + zone.getId();
    }
}
