package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConcurrencyTest {

    private final Subject subject = new Subject(new Concurrency(), quota(2, 10 * MINUTE));

    @Test
    void admitsTheNextCallAsSoonAsOneHasEnded() {
        subject.admits(at("12:00:00"));
        subject.admits(at("12:04:00"));
        assertThat(subject.admits(at("12:05:00"))).isFalse();

        subject.giveBack(1, at("12:04:00"), at("12:05:00"));

        assertThat(subject.admits(at("12:05:00"))).isTrue();
        assertThat(subject.admits(at("12:05:00"))).isFalse();
    }

    @Test
    void asksARefusedCallToComeBackInASecondBecauseACallMayEndAnyMoment() {
        subject.admits(at("12:00:00"));
        subject.admits(at("12:04:00"));

        assertThat(subject.retryAfter(1, at("12:05:00"))).isEqualTo(SECOND);
        assertThat(subject.retryAfter(2, at("12:05:00"))).isEqualTo(SECOND);
        assertThat(subject.retryAfter(1, at("12:09:59.400000"))).isEqualTo(600_000);
        assertThat(subject.retryAfter(2, at("12:09:59.400000"))).isEqualTo(SECOND);
        assertThat(subject.retryAfter(1, at("12:09:59.999999"))).isEqualTo(1);
    }

    @Test
    void admitsTheNextCallAWindowAfterACallerThatDied() {
        subject.admits(at("12:00:00"));
        subject.admits(at("12:04:00"));

        assertThat(subject.admits(at("12:09:59.999999"))).isFalse();
        assertThat(subject.admits(at("12:10:00"))).isTrue();
    }

    @Test
    void callsThatEndDoNotLengthenTheTimeOfACallerThatDied() {
        subject.admits(at("12:00:00"));
        for (int second = 0; second < 590; second++) {
            long now = at("12:00:01") + second * SECOND;
            assertThat(subject.admits(now)).isTrue();
            subject.giveBack(1, now, now + SECOND / 2);
        }

        assertThat(subject.admitted(3, at("12:10:00"))).isEqualTo(2);
    }

    @Test
    void allIsFreeWhenNothingIsInFlight() {
        subject.admits(2, at("12:00:00"));
        assertThat(subject.resetAfter(at("12:01:00"))).isEqualTo(9 * MINUTE);

        subject.giveBack(2, at("12:00:00"), at("12:01:00"));

        assertThat(subject.resetAfter(at("12:01:00"))).isZero();
        assertThat(subject.remaining(at("12:01:00"))).isEqualTo(2);
    }

    @Test
    void aCallThatTookLongerThanAWindowFreesNobodyElse() {
        subject.admits(at("12:00:00"));
        subject.admits(2, at("12:10:00"));

        subject.giveBack(1, at("12:00:00"), at("12:11:00"));

        assertThat(subject.remaining(at("12:11:00"))).isZero();
    }

    @Test
    void callsOfTheSameMicrosecondEndOneByOne() {
        subject.admitted(2, at("12:00:00"));

        subject.giveBack(1, at("12:00:00"), at("12:00:01"));
        assertThat(subject.remaining(at("12:00:01"))).isEqualTo(1);
        subject.giveBack(1, at("12:00:00"), at("12:00:02"));
        assertThat(subject.remaining(at("12:00:02"))).isEqualTo(2);
    }

    @Test
    void aCallEndsAndIsForgottenAfterAWindowAlsoIfTheClockSteppedBack() {
        subject.admits(at("12:00:00"));
        subject.admits(at("12:00:01"));
        assertThat(subject.resetAfter(at("11:00:00"))).isEqualTo(10 * MINUTE - 1);

        subject.giveBack(1, at("12:00:01"), at("11:00:01"));

        assertThat(subject.remaining(at("11:00:01"))).isEqualTo(1);
        assertThat(subject.remaining(at("11:09:59.999998"))).isEqualTo(1);
        assertThat(subject.remaining(at("11:09:59.999999"))).isEqualTo(2);
    }

    @Test
    void aCallThatBeganBeforeTheClockSteppedBackEndsNoneThatBeganSince() {
        subject.admits(at("12:00:00"));
        subject.admits(at("11:57:06"));
        subject.giveBack(1, at("11:57:06"), at("11:57:12"));
        subject.admits(at("11:59:00"));
        subject.giveBack(1, at("12:00:00"), at("12:00:00"));

        assertThat(subject.admits(at("12:01:00"))).isTrue();
        assertThat(subject.remaining(at("12:08:00"))).isZero();
        assertThat(subject.remaining(at("12:09:00"))).isEqualTo(1);
    }
}
