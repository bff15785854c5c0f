package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Three a second make a token of 333,333 1/3 µs: rounding must neither lose nor add time, however often it is taken.
 */
class TokenBucketThirdsTest {

    private static final long START = at("12:00:00");

    private final Subject subject = new Subject(new TokenBucket(), quota(3, SECOND));

    @Test
    void aTokenComesAtTheFirstWholeMicrosecondAfterItsThird() {
        subject.admits(3, START);

        assertThat(subject.retryAfter(1, START)).isEqualTo(333_334);
        assertThat(subject.retryAfter(2, START)).isEqualTo(666_667);
        assertThat(subject.retryAfter(3, START)).isEqualTo(1_000_000);
    }

    @Test
    void doesNotDriftOverManyTakes() {
        subject.admits(3, START);
        long now = START;
        int admitted = 0;
        while (admitted < 30_000) {
            now += subject.retryAfter(1, now);
            assertThat(subject.admits(now)).isTrue();
            admitted++;
        }

        assertThat(now).isEqualTo(START + 10_000 * SECOND);
        assertThat(subject.resetAfter(now)).isEqualTo(SECOND);
    }

    @Test
    void aWindowThatSevenDoesNotDivideIsExactToo() {
        Subject seven = new Subject(new TokenBucket(), quota(7, MINUTE));
        seven.admits(7, START);
        long now = START;
        for (int i = 0; i < 7_000; i++) {
            now += seven.retryAfter(1, now);
            assertThat(seven.admits(now)).isTrue();
        }

        assertThat(now).isEqualTo(START + 1_000 * MINUTE);
    }

    @Test
    void thirdsThatAreGivenBackAreGivenBackWhole() {
        for (int i = 0; i < 3_000; i++) {
            assertThat(subject.admits(START)).isTrue();
            subject.giveBack(1, START, START);
        }

        assertThat(subject.resetAfter(START)).isZero();
    }

    @Test
    void aTokenThatIsGivenBackBorrowsFromTheWholeMicroseconds() {
        subject.admits(3, START);

        subject.giveBack(1, START, START);

        assertThat(subject.resetAfter(START)).isEqualTo(666_667);
        assertThat(subject.admitted(2, START)).isEqualTo(1);
    }

    @Test
    void aThirdOfAMicrosecondThatIsLeftOfATokenIsGivenBack() {
        subject.admits(3, START);

        subject.giveBack(1, START, START + 333_333);

        // 666,667 µs were missing, and 333,333 of the token's 333,333 1/3 have passed
        assertThat(subject.admits(START + 333_333)).isTrue();
    }

    @Test
    void thirdsOfOneLimitAreExactUnderAnother() {
        subject.admits(2, START);

        subject.changeLimitTo(quota(2, SECOND));

        assertThat(subject.remaining(START)).isZero();
        assertThat(subject.resetAfter(START)).isEqualTo(666_667);
    }

    @Test
    void moreRequestsThanMicrosecondsAreCountedExactly() {
        Subject dense = new Subject(new TokenBucket(), quota(Integer.MAX_VALUE, MINUTE));
        dense.admits(Integer.MAX_VALUE, START);

        assertThat(dense.retryAfter(1, START)).isEqualTo(1);
        // 2^31 - 1 a minute are 35.79139 a µs
        assertThat(dense.remaining(START + 1)).isEqualTo(35);
        assertThat(dense.remaining(START + 100)).isEqualTo(3_579);
        assertThat(dense.remaining(START + MINUTE)).isEqualTo(Integer.MAX_VALUE);
    }
}
