package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Quota;
import org.junit.jupiter.api.Test;

class TokenBucketTest {

    private final Subject subject = subject(new Quota(10, SECOND, 20));

    @Test
    void admitsTheBurstAndRefusesTheRequestAfterIt() {
        assertThat(subject.admitted(20, at("12:00:00"))).isEqualTo(20);
        assertThat(subject.admits(at("12:00:00"))).isFalse();
        assertThat(subject.retryAfter(1, at("12:00:00"))).isEqualTo(100_000);
    }

    @Test
    void refillsEvenly() {
        subject.admitted(20, at("12:00:00"));

        assertThat(subject.remaining(at("12:00:00.1") - 1)).isZero();
        assertThat(subject.remaining(at("12:00:00.1"))).isEqualTo(1);
        assertThat(subject.remaining(at("12:00:01"))).isEqualTo(10);
        assertThat(subject.remaining(at("12:00:09"))).isEqualTo(20);
    }

    @Test
    void admitsNoSecondBurstAcrossASecondsTick() {
        Subject tenPerSecond = subject(quota(10, SECOND));

        assertThat(tenPerSecond.admitted(10, at("12:00:00.995"))).isEqualTo(10);
        assertThat(tenPerSecond.admitted(10, at("12:00:01.003"))).isZero();
    }

    @Test
    void waitsForAsManyTokensAsTheCallCosts() {
        subject.admits(18, at("12:00:00"));

        assertThat(subject.retryAfter(2, at("12:00:00"))).isZero();
        assertThat(subject.retryAfter(7, at("12:00:00"))).isEqualTo(500_000);
        assertThat(subject.retryAfter(20, at("12:00:00"))).isEqualTo(1_800_000);
    }

    @Test
    void isFreeAgainWhenTheBucketIsFull() {
        subject.admits(5, at("12:00:00"));

        assertThat(subject.resetAfter(at("12:00:00.2"))).isEqualTo(300_000);
        assertThat(subject.resetAfter(at("12:00:00.5"))).isZero();
    }

    @Test
    void aClockThatGoesBackRefillsNothingAndLocksNobodyOut() {
        subject.admitted(20, at("12:00:00"));

        assertThat(subject.admits(at("11:00:00"))).isFalse();
        assertThat(subject.retryAfter(20, at("11:00:00"))).isEqualTo(2 * SECOND);
        assertThat(subject.admitted(3, at("11:00:00.2"))).isEqualTo(2);
    }

    @Test
    void refillsOverAYear() {
        Subject yearly = subject(quota(366, 366 * DAY));
        yearly.admits(366, at("12:00:00"));

        assertThat(yearly.retryAfter(1, at("12:00:00"))).isEqualTo(DAY);
        assertThat(yearly.retryAfter(366, at("12:00:00"))).isEqualTo(366 * DAY);
        assertThat(yearly.remaining(at("12:00:00") + 100 * DAY)).isEqualTo(100);
    }

    @Test
    void aBurstOfOneSpacesTheCalls() {
        Subject spaced = subject(new Quota(10, SECOND, 1));

        assertThat(spaced.admits(at("12:00:00"))).isTrue();
        assertThat(spaced.admits(at("12:00:00.1") - 1)).isFalse();
        assertThat(spaced.admits(at("12:00:00.1"))).isTrue();
    }

    @Test
    void holdsATrillionExactly() {
        Subject vast = subject(quota(1_000_000_000_000L, MINUTE));

        assertThat(vast.admits(999_999_999_999L, at("12:00:00"))).isTrue();
        assertThat(vast.admitted(2, at("12:00:00"))).isEqualTo(1);
        assertThat(vast.remaining(at("12:00:00"))).isZero();
        // 16,666 2/3 come in a µs
        assertThat(vast.remaining(at("12:00:00") + 1)).isEqualTo(16_666);
        assertThat(vast.remaining(at("12:00:00") + 2)).isEqualTo(33_333);
        assertThat(vast.remaining(at("12:00:00") + 3)).isEqualTo(50_000);
    }

    private static Subject subject(Quota quota) {
        return new Subject(new TokenBucket(), quota);
    }
}
