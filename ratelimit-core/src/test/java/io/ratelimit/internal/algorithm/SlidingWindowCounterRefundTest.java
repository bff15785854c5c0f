package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlidingWindowCounterRefundTest {

    private final Subject subject = new Subject(new SlidingWindowCounter(), quota(100, MINUTE));

    @Test
    void aRefundIsTakenFromTheWindowItWasCountedIn() {
        subject.admits(80, at("12:00:10"));
        subject.admits(20, at("12:01:30"));

        subject.giveBack(40, at("12:00:10"), at("12:01:30"));
        assertThat(subject.used(at("12:01:30"))).isEqualTo(20 + 20);

        subject.giveBack(20, at("12:01:30"), at("12:01:30"));
        assertThat(subject.used(at("12:01:30"))).isEqualTo(20);
    }

    @Test
    void callsAtTheStartOfEitherWindowAreGivenBackInTheirWindow() {
        subject.admits(40, at("12:00:00"));
        subject.admits(20, at("12:01:00"));

        subject.giveBack(20, at("12:00:00"), at("12:01:30"));
        subject.giveBack(15, at("12:01:00"), at("12:01:30"));

        assertThat(subject.used(at("12:01:30"))).isEqualTo(20 / 2 + 5);
    }

    @Test
    void aRefundInTheNextWindowReducesThePreviousOne() {
        subject.admits(80, at("12:00:10"));

        subject.giveBack(40, at("12:00:10"), at("12:01:30"));

        assertThat(subject.used(at("12:01:30"))).isEqualTo(20);
    }

    @Test
    void aRefundOfLongAgoGivesNothing() {
        subject.admits(80, at("12:00:10"));
        subject.admits(90, at("12:02:00"));

        subject.giveBack(80, at("12:00:10"), at("12:02:00"));

        assertThat(subject.remaining(at("12:02:00"))).isEqualTo(10);
    }

    @Test
    void neverGivesBackMoreThanItHolds() {
        subject.admits(2, at("12:00:10"));

        subject.giveBack(9, at("12:00:10"), at("12:00:11"));

        assertThat(subject.remaining(at("12:00:11"))).isEqualTo(100);
    }

    @Test
    void followsTheClockAgainWhenTheEstimateIsGivenBack() {
        subject.admits(1, at("12:00:50"));
        subject.admits(80, at("12:01:30"));
        assertThat(subject.used(at("12:01:30"))).isEqualTo(80);

        subject.giveBack(80, at("12:01:30"), at("12:01:30"));

        subject.admits(10, at("12:00:00"));
        assertThat(subject.used(at("12:00:59"))).isEqualTo(10);
    }
}
