package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.HOUR;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Quota;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SlidingWindowLogTest {

    private final Subject subject = subject(quota(10, MINUTE));

    @Test
    void countsWhatWasAdmittedInTheLastWindow() {
        List.of("12:04:31", "12:04:45", "12:04:55", "12:05:10", "12:05:20", "12:05:28")
                .forEach(time -> assertThat(subject.admits(at(time))).isTrue());

        assertThat(subject.used(at("12:05:30"))).isEqualTo(6);
        assertThat(subject.retryAfter(1, at("12:05:30"))).isZero();
    }

    @Test
    void anEntryLeavesExactlyOneWindowAfterItCame() {
        subject.admits(at("12:04:31"));

        assertThat(subject.used(at("12:05:31") - 1)).isEqualTo(1);
        assertThat(subject.used(at("12:05:31"))).isZero();
    }

    @Test
    void refusesTheRequestAfterTheLastUntilTheOldestLeaves() {
        subject.admits(at("12:00:05"));
        subject.admitted(9, at("12:00:30"));

        assertThat(subject.retryAfter(1, at("12:00:40"))).isEqualTo(25 * SECOND);
        assertThat(subject.admits(at("12:01:05") - 1)).isFalse();
        assertThat(subject.admits(at("12:01:05"))).isTrue();
        assertThat(subject.admits(at("12:01:05"))).isFalse();
    }

    @Test
    void waitsForAsManyOfTheOldestAsTheCostNeeds() {
        subject.admits(2, at("12:00:05"));
        subject.admits(3, at("12:00:10"));
        subject.admits(5, at("12:00:15"));

        assertThat(subject.retryAfter(2, at("12:00:20"))).isEqualTo(45 * SECOND);
        assertThat(subject.retryAfter(3, at("12:00:20"))).isEqualTo(50 * SECOND);
        assertThat(subject.retryAfter(5, at("12:00:20"))).isEqualTo(50 * SECOND);
        assertThat(subject.retryAfter(6, at("12:00:20"))).isEqualTo(55 * SECOND);
    }

    @Test
    void isFreeAgainWhenTheNewestHasLeft() {
        subject.admits(at("12:00:05"));
        subject.admits(at("12:00:45"));

        assertThat(subject.resetAfter(at("12:00:50"))).isEqualTo(55 * SECOND);
        assertThat(subject.resetAfter(at("12:01:45"))).isZero();
    }

    @Test
    void admitsTheLimitAroundABoundary() {
        Subject hurried = subject(quota(50, 10 * SECOND));

        assertThat(hurried.admitted(50, at("12:00:09"))).isEqualTo(50);
        assertThat(hurried.admitted(50, at("12:00:11"))).isZero();
    }

    @Test
    void entriesKeepTheirAgeWhenTheClockGoesBack() {
        subject.admitted(8, at("12:01:00"));
        subject.admitted(1, at("12:01:10"));
        assertThat(subject.admits(at("11:00:00"))).isTrue();

        assertThat(subject.retryAfter(1, at("11:00:00"))).isEqualTo(50 * SECOND);
        assertThat(subject.admits(at("11:00:50") - 1)).isFalse();
        assertThat(subject.admitted(9, at("11:00:50"))).isEqualTo(8);
        assertThat(subject.resetAfter(at("11:00:50"))).isEqualTo(MINUTE);
    }

    @Test
    void goesByTheClockAgainWhenTheLogIsEmpty() {
        subject.admitted(10, at("12:01:00"));
        subject.remaining(at("11:00:00"));
        subject.admitted(10, at("11:01:00"));

        subject.giveBack(10, at("11:01:00"), at("11:01:00"));

        assertThat(subject.admitted(11, at("11:01:00"))).isEqualTo(10);
    }

    @Test
    void countsOverAWindowOfAYear() {
        Subject yearly = subject(quota(2, 366 * DAY));
        yearly.admits(at("12:00:00"));
        yearly.admits(at("13:00:00"));

        assertThat(yearly.retryAfter(1, at("14:00:00"))).isEqualTo(366 * DAY - 2 * HOUR);
        assertThat(yearly.resetAfter(at("14:00:00"))).isEqualTo(366 * DAY - HOUR);
    }

    @Test
    void aLoweredLimitHoldsAtOnceAndARaisedOneAdmitsTheDifference() {
        subject.admits(4, at("12:00:05"));
        subject.admits(6, at("12:00:15"));

        subject.changeLimitTo(quota(5, MINUTE));
        assertThat(subject.remaining(at("12:00:20"))).isZero();
        assertThat(subject.retryAfter(1, at("12:00:20"))).isEqualTo(55 * SECOND);

        subject.changeLimitTo(quota(12, MINUTE));
        assertThat(subject.admitted(5, at("12:00:20"))).isEqualTo(2);
    }

    @Test
    void countsATrillionExactly() {
        Subject vast = subject(quota(1_000_000_000_000L, MINUTE));

        assertThat(vast.admits(999_999_999_999L, at("12:00:20"))).isTrue();
        assertThat(vast.admitted(2, at("12:00:21"))).isEqualTo(1);
        assertThat(vast.retryAfter(1, at("12:00:21"))).isEqualTo(59 * SECOND);
    }

    /** Each window also owes as much as settling can charge, so that fewer windows suffice. */
    @Test
    void goesOnCountingWhenAllItWasEverChargedIsMoreThanALongCounts() {
        long most = 1_000_000_000_000L;
        long windows = Long.MAX_VALUE / Quota.MOST_OWED + 2;
        Subject busy = subject(quota(most, SECOND));
        long wrong = LongStream.range(0, windows)
                .map(window -> window * (SECOND + 4))
                .filter(now -> !busy.admits(most / 2, now)
                        || !busy.admits(most / 4, now + 1)
                        || !busy.admits(most / 4 - 1, now + 2)
                        || busy.retryAfter(2, now + 3) != SECOND - 3
                        || !owes(busy, now + 4))
                .count();

        assertThat(wrong).isZero();
    }

    private static boolean owes(Subject subject, long now) {
        subject.settle(Quota.MOST_OWED, now - 2, now);
        return subject.remaining(now) == 0 && subject.retryAfter(1, now) == SECOND;
    }

    private static Subject subject(Quota quota) {
        return new Subject(new SlidingWindowLog(), quota);
    }
}
