package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The clock steps back: the subject's time continues from the newest time seen until both windows are over. */
class SlidingWindowCounterStepBackTest {

    private final Subject subject = new Subject(new SlidingWindowCounter(), quota(100, MINUTE));

    @Test
    void goesOnFromItsNewestTimeWhenTheClockGoesBack() {
        subject.admits(100, at("12:01:00"));

        assertThat(subject.admits(at("11:58:10"))).isFalse();
        assertThat(subject.remaining(at("11:58:40"))).isZero();
        assertThat(subject.remaining(at("11:59:40"))).isEqualTo(50);
        subject.admits(10, at("11:59:40"));
        assertThat(subject.used(at("12:00:40"))).isEqualTo(5);
    }

    @Test
    void goesByTheClockAgainTwoWindowsLater() {
        subject.admits(100, at("12:01:30"));
        subject.remaining(at("11:58:00"));

        subject.admits(10, at("11:59:30"));

        assertThat(subject.used(at("12:00:30"))).isEqualTo(5);
    }

    @Test
    void isKeptUntilBothWindowsOfItsOwnTimeAreOver() {
        subject.admits(1, at("12:01:30"));
        subject.remaining(at("12:00:00"));

        // its time is 12:01:30, and the window after that one ends at 12:03:00
        assertThat(subject.lasts(at("12:00:00"))).isEqualTo(90 * SECOND);
        assertThat(subject.lasts(at("12:00:30"))).isEqualTo(60 * SECOND);
        assertThat(subject.lasts(at("12:01:29"))).isEqualTo(SECOND);
        assertThat(subject.lasts(at("12:01:30"))).isZero();
    }

    @Test
    void isKeptUntilItIsFreeIfTheClockNeverSteppedBack() {
        subject.admits(1, at("12:01:30"));

        assertThat(subject.lasts(at("12:01:30"))).isEqualTo(30 * SECOND + 1);
    }
}
