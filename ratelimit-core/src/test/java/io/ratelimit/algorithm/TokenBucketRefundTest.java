package io.ratelimit.algorithm;

import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

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
    void givesBackLessByWhatMayHaveRunOverSince() {
        subject.admits(20, at("12:00:00"));

        subject.giveBack(5, at("12:00:00"), at("12:00:00.2"));

        // two tokens came in 200 ms, and of the five returned two may have run over since
        assertThat(subject.remaining(at("12:00:00.2"))).isEqualTo(2 + 3);
    }

    @Test
    void givesNothingBackForWhatHasRefilledLongAgo() {
        subject.admits(5, at("12:00:00"));
        subject.admits(20, at("12:00:10"));

        subject.giveBack(5, at("12:00:00"), at("12:00:10"));

        assertThat(subject.remaining(at("12:00:10"))).isZero();
    }

    @Test
    void neverHoldsMoreThanTheBurst() {
        subject.admits(1, at("12:00:00"));

        subject.giveBack(15, at("12:00:00"), at("12:00:00"));

        assertThat(subject.admitted(30, at("12:00:00"))).isEqualTo(20);
    }
}
