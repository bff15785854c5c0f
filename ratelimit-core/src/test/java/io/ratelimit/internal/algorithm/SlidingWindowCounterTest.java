package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Quota;
import org.junit.jupiter.api.Test;

class SlidingWindowCounterTest {

    private final Subject subject = subject(quota(100, MINUTE));

    @Test
    void weighsTheWindowBeforeByTheShareThatIsStillCovered() {
        subject.admits(80, at("12:00:00"));
        subject.admits(30, at("12:01:30"));

        assertThat(subject.used(at("12:01:30"))).isEqualTo(70);
        assertThat(subject.remaining(at("12:01:30"))).isEqualTo(30);
    }

    @Test
    void refusesWhatTheWeightedSumDoesNotLeaveRoomFor() {
        Subject small = subject(quota(8, MINUTE));
        small.admits(8, at("12:00:00"));
        small.admits(3, at("12:01:45"));

        small.changeLimitTo(quota(5, MINUTE));

        assertThat(small.used(at("12:01:45"))).isEqualTo(5);
        assertThat(small.admits(at("12:01:45"))).isFalse();
    }

    @Test
    void admitsFiftyFiveOfAHundredAroundABoundary() {
        Subject hurried = subject(quota(50, 10 * SECOND));

        int before = hurried.admitted(50, at("12:00:09"));
        int after = hurried.admitted(50, at("12:00:11"));

        assertThat(before + after).isEqualTo(55);
    }

    @Test
    void admitsTwiceTheLimitInAWindowAtTheVeryWorst() {
        assertThat(subject.admits(100, at("12:00:59.999999"))).isTrue();

        // the estimate spreads the hundred over the minute before, of which 0.6 s are hardly covered any more
        assertThat(subject.admits(100, at("12:01:59.4"))).isFalse();
        assertThat(subject.admits(100, at("12:01:59.400001"))).isTrue();
        assertThat(subject.admits(at("12:01:59.999999"))).isFalse();
    }

    @Test
    void aWaitEndsInThisWindowAsSoonAsTheShareLeavesRoom() {
        subject.admits(80, at("12:00:00"));
        subject.admits(50, at("12:01:30"));

        // floor(80 * y / 60 s) is at most 39 while y is below 30 s
        assertThat(subject.retryAfter(11, at("12:01:30"))).isEqualTo(1);
        assertThat(subject.retryAfter(50, at("12:01:30"))).isEqualTo(29_250_001);
    }

    @Test
    void aWaitGoesPastTheBoundaryIfThisWindowLeavesNoRoom() {
        subject.admits(100, at("12:00:30"));

        // from 12:01:00 on floor(100 * y / 60 s): at most 99 from the first microsecond after the boundary on
        assertThat(subject.retryAfter(1, at("12:00:30"))).isEqualTo(30 * SECOND + 1);
        assertThat(subject.retryAfter(100, at("12:00:30"))).isEqualTo(30 * SECOND + 59_400_001);
    }

    @Test
    void isFreeAgainWhenTheShareIsBelowOne() {
        subject.admits(3, at("12:00:30"));

        // floor(3 * y / 60 s) is 0 when y is below 20 s
        assertThat(subject.resetAfter(at("12:00:30"))).isEqualTo(30 * SECOND + 40 * SECOND + 1);
        assertThat(subject.remaining(at("12:01:40"))).isEqualTo(99);
        assertThat(subject.remaining(at("12:01:40") + 1)).isEqualTo(100);
    }

    @Test
    void forgetsAWindowThatIsTwoBack() {
        subject.admits(100, at("12:00:59"));

        assertThat(subject.remaining(at("12:02:00"))).isEqualTo(100);
        assertThat(subject.resetAfter(at("12:02:00"))).isZero();
    }

    @Test
    void aRaisedLimitAdmitsTheDifference() {
        subject.admits(100, at("12:00:10"));

        subject.changeLimitTo(quota(120, MINUTE));

        assertThat(subject.admitted(30, at("12:00:10"))).isEqualTo(20);
    }

    @Test
    void isExactWhereProductsPassSixtyThreeBits() {
        Subject vast = subject(quota(1_000_000_000_000L, 366 * DAY));
        long boundary = at("12:00:00") - at("12:00:00") % (366 * DAY);
        vast.admits(1_000_000_000_000L, boundary - 1);

        assertThat(vast.used(boundary + 183 * DAY)).isEqualTo(500_000_000_000L);
        // one request in 10^12 is worth 31.6224 µs
        assertThat(vast.retryAfter(1, boundary)).isEqualTo(1);
        assertThat(vast.retryAfter(2, boundary)).isEqualTo(32);
    }

    private static Subject subject(Quota quota) {
        return new Subject(new SlidingWindowCounter(), quota);
    }
}
