package io.ratelimit.internal.algorithm;

import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Quota;
import org.junit.jupiter.api.Test;

class TokenBucketRefundTest {

    private final Subject subject = new Subject(new TokenBucket(), new Quota(10, SECOND, 20));

    @Test
    void whatIsGivenBackAtOnceIsThereAgain() {
        subject.admits(20, at("12:00:00"));

        subject.giveBack(20, at("12:00:00"), at("12:00:00"));

        assertThat(subject.remaining(at("12:00:00"))).isEqualTo(20);
        assertThat(subject.resetAfter(at("12:00:00"))).isZero();
    }

    @Test
    void givesAllBackAsLongAsNothingCouldHaveRunOverSince() {
        subject.admits(20, at("12:00:00"));

        subject.giveBack(5, at("12:00:00"), at("12:00:00.1"));

        // one token came in 100 ms; without the five, 15 would have been missing, and the bucket full after 1.5 s
        assertThat(subject.remaining(at("12:00:00.1"))).isEqualTo(1 + 5);
    }

    @Test
    void givesAllBackOfTheLongestCallThatCouldNotHaveRunOver() {
        subject.admits(20, at("12:00:00"));

        subject.giveBack(14, at("12:00:00"), at("12:00:00.49"));

        // without the fourteen, six would have been missing, and the bucket full after 600 ms
        assertThat(subject.remaining(at("12:00:00.49"))).isEqualTo(4 + 14);
    }

    @Test
    void givesBackLessByWhatWouldHaveRunOver() {
        subject.admits(5, at("12:00:00"));
        subject.admits(15, at("12:00:00.1"));

        subject.giveBack(5, at("12:00:00"), at("12:00:00.2"));

        // without the five, the bucket would have been full for up to 200 ms
        assertThat(subject.remaining(at("12:00:00.2"))).isEqualTo(2 + 3);
    }

    /** Without the two calls that gave everything back, the bucket would have been full until the third. */
    @Test
    void whatOthersGaveBackSinceCannotBeMissingAnyMore() {
        subject.admits(10, at("12:00:00"));
        subject.admits(10, at("12:00:00"));
        subject.giveBack(10, at("12:00:00"), at("12:00:00"));
        subject.admits(18, at("12:00:00.8"));

        subject.giveBack(10, at("12:00:00"), at("12:00:01"));

        assertThat(subject.remaining(at("12:00:01"))).isEqualTo(2);
    }

    @Test
    void remembersWhatWasGivenBackUntilItNoLongerMatters() {
        subject.admits(10, at("12:00:00"));
        subject.giveBack(10, at("12:00:00"), at("12:00:00"));

        assertThat(subject.resetAfter(at("12:00:00"))).isZero();
        assertThat(subject.lasts(at("12:00:00"))).isEqualTo(SECOND);
    }

    @Test
    void givesNothingBackForWhatHasRefilledLongAgo() {
        subject.admits(5, at("12:00:00"));
        subject.admits(20, at("12:00:10"));

        subject.giveBack(5, at("12:00:00"), at("12:00:10"));

        assertThat(subject.remaining(at("12:00:10"))).isZero();
    }

    @Test
    void givesNothingBackUntilTheClockShowsTheTimeOfTheCallAgain() {
        subject.admits(20, at("12:00:10"));
        subject.admits(20, at("12:01:00"));
        assertThat(subject.admits(at("12:00:05"))).isFalse();

        subject.giveBack(20, at("12:00:10"), at("12:00:05"));

        assertThat(subject.remaining(at("12:00:05"))).isZero();
    }

    @Test
    void neverHoldsMoreThanTheBurst() {
        subject.admits(1, at("12:00:00"));

        subject.giveBack(15, at("12:00:00"), at("12:00:00"));

        assertThat(subject.admitted(30, at("12:00:00"))).isEqualTo(20);
    }
}
