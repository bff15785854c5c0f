package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlidingWindowLogRefundTest {

    private final Subject subject = new Subject(new SlidingWindowLog(), quota(10, MINUTE));

    @Test
    void whatIsGivenBackIsUsableAgain() {
        subject.admits(10, at("12:00:05"));

        subject.giveBack(10, at("12:00:05"), at("12:00:06"));

        assertThat(subject.remaining(at("12:00:06"))).isEqualTo(10);
        assertThat(subject.resetAfter(at("12:00:06"))).isZero();
    }

    @Test
    void nothingIsFreeEarlierThanTheCallsThatStay() {
        subject.admits(5, at("12:00:05"));
        subject.admits(5, at("12:00:40"));

        subject.giveBack(5, at("12:00:40"), at("12:00:45"));

        assertThat(subject.remaining(at("12:00:45"))).isEqualTo(5);
        assertThat(subject.retryAfter(6, at("12:00:45"))).isGreaterThanOrEqualTo(20 * SECOND);
    }

    @Test
    void aPartIsGivenBackOfAnEntry() {
        subject.admits(10, at("12:00:05"));

        subject.giveBack(4, at("12:00:05"), at("12:00:06"));

        assertThat(subject.remaining(at("12:00:06"))).isEqualTo(4);
        assertThat(subject.retryAfter(5, at("12:00:06"))).isEqualTo(59 * SECOND);
    }

    @Test
    void whatHasLeftTheWindowIsNotGivenBack() {
        subject.admits(5, at("12:00:05"));
        subject.admits(5, at("12:00:40"));

        subject.giveBack(5, at("12:00:05"), at("12:01:05"));

        assertThat(subject.remaining(at("12:01:05"))).isEqualTo(5);
    }

    @Test
    void aRefundIsNotTakenFromEntriesThatHaveLeft() {
        subject.admits(5, at("12:00:05"));
        subject.admits(5, at("12:00:40"));

        subject.giveBack(3, at("12:00:40"), at("12:01:10"));

        assertThat(subject.remaining(at("12:01:10"))).isEqualTo(8);
    }

    @Test
    void theOtherEntriesLeaveOnTimeIfTheClockSteppedBackBefore() {
        subject.admits(8, at("12:01:00"));
        subject.remaining(at("11:00:00"));

        subject.giveBack(4, at("12:01:00"), at("11:00:20"));

        assertThat(subject.resetAfter(at("11:00:20"))).isEqualTo(40 * SECOND);
        assertThat(subject.remaining(at("11:01:00"))).isEqualTo(10);
    }

    @Test
    void neverGivesBackMoreThanItHolds() {
        subject.admits(2, at("12:00:05"));

        subject.giveBack(9, at("12:00:05"), at("12:00:06"));

        assertThat(subject.remaining(at("12:00:06"))).isEqualTo(10);
        assertThat(subject.admitted(11, at("12:00:06"))).isEqualTo(10);
    }
}
