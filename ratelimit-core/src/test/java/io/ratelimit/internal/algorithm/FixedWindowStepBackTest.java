package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.CalendarPeriod;
import io.ratelimit.Limit;
import io.ratelimit.internal.Micros;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** The clock steps back over a boundary: the counts are held for one window, because the boundary comes again. */
class FixedWindowStepBackTest {

    private final Subject subject = new Subject(new FixedWindow(), quota(5, MINUTE));

    /** February is shorter than what January's end holds. */
    @Test
    void aCalendarHoldsNothingBeyondThePeriodAfterTheStep() {
        Subject monthly = new Subject(
                new FixedWindow(),
                Limit.of("monthly", 5, CalendarPeriod.of(CalendarPeriod.Unit.MONTH, ZoneOffset.UTC))
                        .quota());
        long february = Micros.of(Instant.parse("2026-02-01T00:00:00Z"));
        long march = Micros.of(Instant.parse("2026-03-01T00:00:00Z"));
        monthly.admitted(3, february);
        monthly.admits(february - SECOND);

        monthly.admits(february + SECOND);
        monthly.giveBack(1, february + SECOND, february + MINUTE);

        assertThat(monthly.used(february + MINUTE)).isEqualTo(4);
        assertThat(monthly.admitted(9, march)).isEqualTo(5);
    }

    @Test
    void countsForOneWindowAfterTheStep() {
        subject.admitted(4, at("12:01:10"));

        assertThat(subject.admitted(2, at("12:00:30"))).isEqualTo(1);
        assertThat(subject.retryAfter(1, at("12:00:30"))).isEqualTo(MINUTE);
        assertThat(subject.resetAfter(at("12:00:30"))).isEqualTo(MINUTE);
        assertThat(subject.admits(at("12:01:00"))).isFalse();
        assertThat(subject.retryAfter(1, at("12:01:00"))).isEqualTo(30 * SECOND);
        assertThat(subject.remaining(at("12:01:30"))).isEqualTo(5);
        assertThat(subject.admitted(6, at("12:01:30"))).isEqualTo(5);
        assertThat(subject.admitted(6, at("12:02:00"))).isEqualTo(5);
    }

    @Test
    void theHeldSumLeavesRoomForTheRest() {
        subject.admitted(2, at("12:01:10"));
        subject.admits(at("12:00:30"));

        assertThat(subject.remaining(at("12:01:10"))).isEqualTo(2);
        assertThat(subject.admitted(5, at("12:01:10"))).isEqualTo(2);
        assertThat(subject.retryAfter(3, at("12:01:10"))).isEqualTo(20 * SECOND);
        assertThat(subject.retryAfter(4, at("12:01:10"))).isEqualTo(50 * SECOND);
        assertThat(subject.resetAfter(at("12:01:10"))).isEqualTo(50 * SECOND);
    }

    @Test
    void aSecondStepHoldsEverythingAgain() {
        subject.admitted(2, at("12:01:10"));
        subject.remaining(at("12:00:30"));
        subject.admitted(2, at("12:01:10"));

        assertThat(subject.used(at("12:00:50"))).isEqualTo(4);
        assertThat(subject.retryAfter(2, at("12:00:50"))).isEqualTo(MINUTE);
    }

    @Test
    void aRefundReducesTheHeldSumFirst() {
        subject.admitted(2, at("12:01:10"));
        subject.remaining(at("12:00:30"));
        subject.admits(at("12:01:10"));

        subject.giveBack(5, at("12:01:10"), at("12:01:10"));

        assertThat(subject.used(at("12:01:10"))).isEqualTo(1);
        assertThat(subject.resetAfter(at("12:01:10"))).isEqualTo(50 * SECOND);
    }

    @Test
    void anEqualHeldSumAndWindowSumAreBothCounted() {
        subject.admitted(3, at("12:01:10"));
        subject.remaining(at("12:00:30"));
        subject.admitted(2, at("12:01:10"));

        subject.giveBack(1, at("12:01:10"), at("12:01:10"));

        assertThat(subject.remaining(at("12:01:10"))).isEqualTo(1);
        assertThat(subject.resetAfter(at("12:01:10"))).isEqualTo(50 * SECOND);
    }

    @Test
    void aRefundAfterTheHeldSumHasExpiredReducesTheWindow() {
        subject.admitted(2, at("12:01:10"));
        subject.remaining(at("12:00:30"));
        subject.admits(at("12:01:10"));

        subject.giveBack(1, at("12:01:10"), at("12:01:40"));

        assertThat(subject.remaining(at("12:01:40"))).isEqualTo(5);
    }

    /** The call at :20 was over when the clock stepped back into its window. */
    @Test
    void untilTheBoundaryNothingIsGivenBack() {
        subject.admitted(5, at("12:00:20"));
        subject.admitted(5, at("12:01:00"));
        assertThat(subject.admits(at("12:00:10"))).isFalse();

        subject.giveBack(5, at("12:00:20"), at("12:00:15"));
        subject.giveBack(5, at("12:00:20"), at("12:00:20"));
        subject.giveBack(5, at("12:00:05"), at("12:00:59.999999"));

        assertThat(subject.remaining(at("12:01:00"))).isZero();
    }

    @Test
    void afterTheBoundaryACallOfThisWindowGetsItsCostBack() {
        subject.admitted(2, at("12:01:00"));
        subject.remaining(at("12:00:59"));
        subject.admitted(3, at("12:01:20"));

        subject.giveBack(1, at("12:01:20"), at("12:01:20"));
        subject.giveBack(1, at("12:01:30"), at("12:01:20"));

        assertThat(subject.used(at("12:01:20"))).isEqualTo(4);
    }
}
