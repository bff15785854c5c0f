package io.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.CalendarPeriod.Unit;
import io.ratelimit.internal.Micros;
import io.ratelimit.testing.SeededRandom;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CalendarPeriodTest {

    /** Without daylight saving, and with it in both hemispheres, at midnight, and across the date line. */
    private static final List<ZoneId> ZONES = List.of(
            ZoneId.of("UTC"),
            ZoneId.of("+05:45"),
            ZoneId.of("Europe/Paris"),
            ZoneId.of("America/New_York"),
            ZoneId.of("America/Sao_Paulo"),
            ZoneId.of("America/Havana"),
            ZoneId.of("Africa/Cairo"),
            ZoneId.of("Asia/Beirut"),
            ZoneId.of("Australia/Lord_Howe"),
            ZoneId.of("Pacific/Apia"));

    @ParameterizedTest
    @CsvSource({
        "DAY,     1,  UTC,               2026-11-25T23:59:59Z, 2026-11-25T00:00:00Z, 2026-11-26T00:00:00Z",
        "WEEK,    1,  UTC,               2026-11-25T12:00:00Z, 2026-11-23T00:00:00Z, 2026-11-30T00:00:00Z",
        "WEEK,    7,  UTC,               2026-11-25T12:00:00Z, 2026-11-22T00:00:00Z, 2026-11-29T00:00:00Z",
        "MONTH,   1,  Europe/Paris,      2026-10-31T23:00:00Z, 2026-10-31T23:00:00Z, 2026-11-30T23:00:00Z",
        "MONTH,   14, Europe/Paris,      2026-11-13T22:59:59Z, 2026-10-13T22:00:00Z, 2026-11-13T23:00:00Z",
        "MONTH,   31, UTC,               2026-02-28T00:00:00Z, 2026-02-28T00:00:00Z, 2026-03-31T00:00:00Z",
        "MONTH,   30, UTC,               2028-02-29T00:00:00Z, 2028-02-29T00:00:00Z, 2028-03-30T00:00:00Z",
        "QUARTER, 1,  UTC,               2026-11-25T12:00:00Z, 2026-10-01T00:00:00Z, 2027-01-01T00:00:00Z",
        "QUARTER, 31, UTC,               2026-04-29T12:00:00Z, 2026-01-31T00:00:00Z, 2026-04-30T00:00:00Z",
        "YEAR,    1,  UTC,               2028-12-31T23:59:59Z, 2028-01-01T00:00:00Z, 2029-01-01T00:00:00Z",
        "YEAR,    15, UTC,               2026-01-14T23:59:59Z, 2025-01-15T00:00:00Z, 2026-01-15T00:00:00Z",
        // days of 23 and 25 hours
        "DAY,     1,  Europe/Paris,      2026-03-29T12:00:00Z, 2026-03-28T23:00:00Z, 2026-03-29T22:00:00Z",
        "DAY,     1,  Europe/Paris,      2026-10-25T12:00:00Z, 2026-10-24T22:00:00Z, 2026-10-25T23:00:00Z",
        // clocks went forward at midnight: the day began at 01:00
        "DAY,     1,  America/Sao_Paulo, 2018-11-04T12:00:00Z, 2018-11-04T03:00:00Z, 2018-11-05T02:00:00Z",
        // they went back at 01:00: the day began at the first of two midnights
        "DAY,     1,  America/Havana,    2025-11-02T12:00:00Z, 2025-11-02T04:00:00Z, 2025-11-03T05:00:00Z",
    })
    void aPeriodStartsAtMidnightOfItsFirstDay(
            Unit unit, int startsOn, ZoneId zone, Instant at, Instant start, Instant end) {
        CalendarPeriod period = CalendarPeriod.of(unit, zone).startingOn(startsOn);

        assertThat(Micros.toInstant(period.startMicros(Micros.of(at), 0))).isEqualTo(start);
        assertThat(Micros.toInstant(period.startMicros(Micros.of(at), 1))).isEqualTo(end);
    }

    @ParameterizedTest
    @EnumSource
    void periodsFollowEachOtherWithoutAGap(Unit unit) {
        SeededRandom.each("calendar " + unit, 10_000, random -> {
            CalendarPeriod period = somePeriod(unit, random);
            long at = random.between(Micros.of(Instant.parse("2012-01-01T00:00:00Z")), 4_000_000_000_000_000L);
            long start = period.startMicros(at, 0);
            long end = period.startMicros(at, 1);

            assertThat(at).isBetween(start, end - 1);
            assertThat(end - start).isBetween(1L, period.longestMicros());
            assertThat(period.startMicros(start, 0)).isEqualTo(start);
            assertThat(period.startMicros(end - 1, 0)).isEqualTo(start);
            assertThat(period.startMicros(at, -1)).isEqualTo(period.startMicros(start - 1, 0));
            assertThat(period.startMicros(at, 2)).isEqualTo(period.startMicros(end, 1));
            LocalDate first = Micros.toInstant(start).atZone(period.zone()).toLocalDate();
            assertThat(start)
                    .isEqualTo(Micros.of(first.atStartOfDay(period.zone()).toInstant()));
        });
    }

    @Test
    void aDayThatDoesNotExistIsRejected() {
        assertThatThrownBy(() -> CalendarPeriod.of(Unit.MONTH, ZoneId.of("UTC")).startingOn(32))
                .hasMessage("starts-on '32' of calendar 'month' must be at least 1 and at most 31");
        assertThatThrownBy(() -> CalendarPeriod.of(Unit.WEEK, ZoneId.of("UTC")).startingOn(0))
                .hasMessage("starts-on '0' of calendar 'week' must be at least 1 and at most 7");
        assertThatThrownBy(() -> CalendarPeriod.of(Unit.DAY, ZoneId.of("UTC")).startingOn(2))
                .hasMessage("starts-on '2' is not supported by calendar 'day', which starts at midnight: leave it out");
    }

    private static CalendarPeriod somePeriod(Unit unit, SeededRandom random) {
        CalendarPeriod period = CalendarPeriod.of(unit, random.oneOf(ZONES.toArray(ZoneId[]::new)));
        int lastStart = unit == Unit.DAY ? 1 : unit == Unit.WEEK ? 7 : 31;
        return period.startingOn((int) random.between(1, lastStart));
    }
}
