package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FixedWindowRefundTest {

    private final Subject subject = new Subject(new FixedWindow(), quota(5, MINUTE));

    @Test
    void aRefundInItsWindowIsUsableAgain() {
        subject.admitted(5, at("12:00:20"));

        subject.giveBack(2, at("12:00:20"), at("12:00:59"));

        assertThat(subject.remaining(at("12:00:59"))).isEqualTo(2);
    }

    @Test
    void aRefundOfACallAtTheWindowsStartIsUsableAgain() {
        subject.admitted(5, at("12:00:00"));

        subject.giveBack(2, at("12:00:00"), at("12:00:59"));

        assertThat(subject.remaining(at("12:00:59"))).isEqualTo(2);
    }

    @Test
    void aRefundOfAnEarlierWindowAddsNothingToThisOne() {
        subject.admitted(5, at("12:00:20"));
        subject.admitted(5, at("12:01:20"));

        subject.giveBack(5, at("12:00:20"), at("12:01:30"));

        assertThat(subject.remaining(at("12:01:30"))).isZero();
    }

    @Test
    void neverGivesBackMoreThanItHolds() {
        subject.admits(2, at("12:00:20"));

        subject.giveBack(5, at("12:00:20"), at("12:00:30"));

        assertThat(subject.remaining(at("12:00:30"))).isEqualTo(5);
        assertThat(subject.admitted(6, at("12:00:30"))).isEqualTo(5);
    }

    @Test
    void nothingIsHeldAfterAStepIfEverythingWasGivenBack() {
        subject.admitted(5, at("12:01:10"));
        subject.giveBack(5, at("12:01:10"), at("12:01:10"));

        subject.admitted(5, at("12:00:30"));

        assertThat(subject.resetAfter(at("12:00:30"))).isEqualTo(30 * SECOND);
    }
}
