package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.HOUR;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.CalendarPeriod;
import io.ratelimit.CalendarPeriod.Unit;
import io.ratelimit.Limit;
import io.ratelimit.Quota;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class FixedWindowTest {

    private final Subject subject = subject(quota(5, MINUTE));

    @Test
    void refusesTheRequestAfterTheLast() {
        assertThat(subject.admitted(5, at("12:00:20"))).isEqualTo(5);
        assertThat(subject.admits(at("12:00:20"))).isFalse();
        assertThat(subject.remaining(at("12:00:20"))).isZero();
    }

    @Test
    void refusesUntilTheWindowEndsAndNotLonger() {
        subject.admitted(5, at("12:00:20"));

        assertThat(subject.retryAfter(1, at("12:00:50"))).isEqualTo(10 * SECOND);
        assertThat(subject.admits(at("12:01:00") - 1)).isFalse();
        assertThat(subject.admits(at("12:01:00"))).isTrue();
    }

    @Test
    void isFreeAgainWhenTheWindowEnds() {
        subject.admits(at("12:00:20"));

        assertThat(subject.resetAfter(at("12:00:20"))).isEqualTo(40 * SECOND);
        assertThat(subject.remaining(at("12:01:00") - 1)).isEqualTo(4);
        assertThat(subject.remaining(at("12:01:00"))).isEqualTo(5);
        assertThat(subject.resetAfter(at("12:01:00"))).isZero();
    }

    @Test
    void admitsTwiceTheLimitAroundABoundary() {
        Subject hurried = subject(quota(50, 10 * SECOND));

        assertThat(hurried.admitted(50, at("12:00:09"))).isEqualTo(50);
        assertThat(hurried.admitted(50, at("12:00:11"))).isEqualTo(50);
    }

    @Test
    void countsWhatACallCosts() {
        assertThat(subject.admits(3, at("12:00:20"))).isTrue();
        assertThat(subject.admits(3, at("12:00:20"))).isFalse();
        assertThat(subject.admits(2, at("12:00:20"))).isTrue();
        assertThat(subject.remaining(at("12:00:20"))).isZero();
    }

    @Test
    void windowsAreCountedFromTheEpoch() {
        long window = 366 * DAY;
        long boundary = at("12:00:00") - at("12:00:00") % window;
        Subject yearly = subject(quota(1, window));

        assertThat(yearly.admits(boundary - 1)).isTrue();
        assertThat(yearly.admits(boundary)).isTrue();
        assertThat(yearly.retryAfter(1, boundary + DAY)).isEqualTo(365 * DAY);
    }

    @Test
    void aLoweredLimitHoldsAtOnceAndARaisedOneAdmitsTheDifference() {
        subject.admitted(5, at("12:00:20"));

        subject.changeLimitTo(quota(3, MINUTE));
        assertThat(subject.remaining(at("12:00:30"))).isZero();
        assertThat(subject.retryAfter(1, at("12:00:30"))).isEqualTo(30 * SECOND);

        subject.changeLimitTo(quota(8, MINUTE));
        assertThat(subject.admitted(5, at("12:00:30"))).isEqualTo(3);
    }

    @Test
    void countsATrillionExactly() {
        Subject vast = subject(quota(1_000_000_000_000L, MINUTE));

        assertThat(vast.admits(999_999_999_999L, at("12:00:20"))).isTrue();
        assertThat(vast.admitted(2, at("12:00:20"))).isEqualTo(1);
    }

    @Test
    void aPeriodThatBeganBefore1970IsNoStepBack() {
        Quota day = Limit.of("day", 5, CalendarPeriod.of(Unit.DAY, ZoneId.of("Europe/Paris")))
                .quota();
        Subject firstDay = subject(day);

        assertThat(firstDay.admitted(6, 0)).isEqualTo(5);
        assertThat(firstDay.retryAfter(1, 0)).isEqualTo(DAY - HOUR);
        assertThat(firstDay.admits(DAY - HOUR)).isTrue();
    }

    private static Subject subject(Quota quota) {
        return new Subject(new FixedWindow(), quota);
    }
}
