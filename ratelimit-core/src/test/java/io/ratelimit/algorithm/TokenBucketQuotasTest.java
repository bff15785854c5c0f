package io.ratelimit.algorithm;

import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** One bucket under several quotas: plans, or a deployment that changes the numbers. */
class TokenBucketQuotasTest {

    private static final Quota LARGE = new Quota(10, SECOND, 20);
    private static final Quota SMALL = new Quota(10, SECOND, 10);

    private final Subject subject = new Subject(new TokenBucket(), LARGE);

    @Test
    void aChangedLimitHoldsAtOnce() {
        subject.admitted(20, at("12:00:00"));

        subject.changeLimitTo(new Quota(1, SECOND, 1));
        assertThat(subject.retryAfter(1, at("12:00:00"))).isEqualTo(SECOND);
        assertThat(subject.admits(at("12:00:01"))).isTrue();
        assertThat(subject.retryAfter(1, at("12:00:01"))).isEqualTo(SECOND);

        // two seconds are missing still, which are 2,000 tokens now
        subject.changeLimitTo(new Quota(1_000, SECOND, 4_000_000));
        assertThat(subject.remaining(at("12:00:01"))).isEqualTo(3_998_000);
    }

    @Test
    void aSmallerBurstIsExactBesideALargerOne() {
        subject.admitted(20, at("12:00:00"));

        subject.changeLimitTo(SMALL);
        assertThat(subject.admitted(9, at("12:00:00.5"))).isEqualTo(5);
        subject.changeLimitTo(LARGE);
        assertThat(subject.remaining(at("12:00:00.5"))).isZero();
        subject.changeLimitTo(SMALL);
        assertThat(subject.retryAfter(10, at("12:00:00.5"))).isEqualTo(SECOND);
        subject.changeLimitTo(LARGE);
        assertThat(subject.retryAfter(20, at("12:00:00.5"))).isEqualTo(2 * SECOND);
    }

    /** What exceeded the smaller bucket was forgiven while that one was full already, and on top of its own burst. */
    @Test
    void aSmallerBurstIsKeptOnceItsBucketHasBeenFull() {
        subject.admitted(20, at("12:00:00"));

        subject.changeLimitTo(SMALL);
        assertThat(subject.admitted(20, at("12:00:01.5"))).isEqualTo(10);
        assertThat(subject.retryAfter(1, at("12:00:01.5"))).isEqualTo(SECOND / 10);
        subject.changeLimitTo(LARGE);
        assertThat(subject.remaining(at("12:00:01.5"))).isEqualTo(5);
    }

    @Test
    void aSmallerBucketIsWholeThoughAPartOfAMicrosecondIsMissingFromTheLargerOne() {
        subject.changeLimitTo(new Quota(3, SECOND, 20));
        subject.admits(4, at("12:00:00")); // 1,333,333 1/3 µs are missing

        subject.changeLimitTo(new Quota(3, SECOND, 2));

        assertThat(subject.admitted(3, at("12:00:01.333333"))).isEqualTo(2);
    }

    @Test
    void aRefundOfALargerBurstGivesNothingExtraToASmallerOne() {
        subject.admits(20, at("12:00:00"));
        subject.giveBack(15, at("12:00:00"), at("12:00:00"));

        subject.changeLimitTo(SMALL);

        assertThat(subject.remaining(at("12:00:00"))).isEqualTo(5);
    }

    @Test
    void aLateRefundOfALargerBurstGivesTheSmallerOneNoLess() {
        subject.admits(20, at("12:00:00"));

        // 700 ms, of which 200 ms have passed: the peak is 1.5 s, and 1 s is missing
        subject.giveBack(7, at("12:00:00.3"), at("12:00:00.5"));

        subject.changeLimitTo(SMALL);
        assertThat(subject.remaining(at("12:00:00.5"))).isEqualTo(5);
    }

    @Test
    void anExcessOfOneMicrosecondDoesNotCount() {
        subject.changeLimitTo(new Quota(1_000_000, SECOND, 2_000_000));
        subject.admits(1_000_001, at("12:00:00"));

        subject.changeLimitTo(SMALL);

        assertThat(subject.retryAfter(1, at("12:00:00"))).isEqualTo(100_000);
    }

    @Test
    void aBurstThatIsUsedUpExactlyIsMissedInFull() {
        subject.changeLimitTo(new Quota(3, SECOND, 4));

        subject.admits(4, at("12:00:00"));

        assertThat(subject.retryAfter(1, at("12:00:00"))).isEqualTo(333_334);
    }

    @Test
    void anExcessIsSubtractedWithItsThirds() {
        Quota four = new Quota(3, SECOND, 4);
        subject.changeLimitTo(new Quota(3, SECOND, 8));
        subject.admits(6, at("12:00:00"));

        subject.changeLimitTo(four);

        // 2 s were missing at the peak, and the four tokens are worth 1,333,333 1/3 µs
        assertThat(subject.resetAfter(at("12:00:00"))).isEqualTo(1_333_334);
        assertThat(subject.retryAfter(1, at("12:00:00"))).isEqualTo(333_334);
        assertThat(subject.remaining(at("12:00:01"))).isEqualTo(3);
        assertThat(subject.resetAfter(at("12:00:01.333333"))).isEqualTo(1);
        assertThat(subject.resetAfter(at("12:00:01.333334"))).isZero();
    }

    @Test
    void thirdsOfTheExcessAndOfTheBucketMakeAWholeMicrosecond() {
        Quota five = new Quota(3, SECOND, 5);
        subject.changeLimitTo(new Quota(3, SECOND, 8));
        subject.admits(8, at("12:00:00"));

        subject.changeLimitTo(five);

        // the peak of 2,666,666 2/3 µs is kept as 2,666,667, and the five tokens are worth 1,666,666 2/3
        assertThat(subject.resetAfter(at("12:00:00"))).isEqualTo(1_666_667);
        // 1,666,666 1/3 µs are missing, and a token is worth 333,333 1/3
        assertThat(subject.retryAfter(1, at("12:00:00"))).isEqualTo(333_333);
    }

    @Test
    void isKeptUntilItIsFullUnderTheLargestBurst() {
        subject.admits(20, at("12:00:00"));

        subject.changeLimitTo(SMALL);

        assertThat(subject.lasts(at("12:00:00"))).isEqualTo(2 * SECOND);
        assertThat(subject.lasts(at("12:00:01.5"))).isEqualTo(500_000);
        assertThat(subject.lasts(at("12:00:09"))).isZero();
    }
}
