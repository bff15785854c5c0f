package io.ratelimit.internal.algorithm;

import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Quota;
import io.ratelimit.Window;
import io.ratelimit.testing.AdmittedHistory;
import io.ratelimit.testing.AdmittedHistory.Admission;
import io.ratelimit.testing.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SlidingWindowPartsTest {

    private final Subject subject = subject(quota(100, MINUTE, 6));

    @Test
    void weighsTheOldestPartOnly() {
        subject.admits(8, at("12:00:09.999999"));
        subject.admits(40, at("12:00:10"));
        subject.admits(20, at("12:00:59"));

        assertThat(subject.used(at("12:01:00"))).isEqualTo(68);
        assertThat(subject.used(at("12:01:05"))).isEqualTo(64);
        assertThat(subject.remaining(at("12:01:05"))).isEqualTo(36);
        assertThat(subject.used(at("12:01:10"))).isEqualTo(60);
        assertThat(subject.used(at("12:01:15"))).isEqualTo(40);
        assertThat(subject.used(at("12:01:55"))).isEqualTo(10);
    }

    @Test
    void countsOnADeviceWhoseClockBeginsIn1970() {
        assertThat(subject.admitted(101, 0)).isEqualTo(100);
        assertThat(subject.remaining(30 * SECOND)).isZero();
        assertThat(subject.retryAfter(1, 0)).isEqualTo(MINUTE + 1);
        assertThat(subject.retryAfter(1, 15 * SECOND)).isEqualTo(45 * SECOND + 1);
        assertThat(subject.retryAfter(100, 55 * SECOND)).isEqualTo(5 * SECOND + 9_900_001);
        assertThat(subject.remaining(2 * MINUTE)).isEqualTo(100);
    }

    @Test
    void admitsFiftyAroundABoundaryAsTheLogDoes() {
        Subject hurried = subject(quota(50, 10 * SECOND, 10));

        assertThat(hurried.admitted(50, at("12:00:09"))).isEqualTo(50);
        assertThat(hurried.admitted(50, at("12:00:11"))).isZero();
        assertThat(hurried.retryAfter(1, at("12:00:11"))).isEqualTo(8 * SECOND + 1);
        assertThat(hurried.retryAfter(50, at("12:00:11"))).isEqualTo(9 * SECOND - 19_999);
    }

    @Test
    void aWaitEndsInTheFirstPartThatLeavesRoom() {
        subject.admits(30, at("12:00:00"));
        subject.admits(50, at("12:00:30"));
        subject.admits(20, at("12:00:55"));

        // floor(30 * y / 10 s) is at most 29 while y is below 10 s
        assertThat(subject.retryAfter(1, at("12:00:55"))).isEqualTo(5 * SECOND + 1);
        assertThat(subject.retryAfter(30, at("12:00:55"))).isEqualTo(5 * SECOND + 9_666_667);
        assertThat(subject.retryAfter(31, at("12:00:55"))).isEqualTo(35 * SECOND + 1);
        assertThat(subject.retryAfter(100, at("12:00:55"))).isEqualTo(55 * SECOND + 9_500_001);
        assertThat(subject.resetAfter(at("12:00:55"))).isEqualTo(55 * SECOND + 9_500_001);
    }

    @Test
    void givesBackToThePartOfTheCall() {
        subject.admits(10, at("12:00:05"));
        subject.admits(20, at("12:00:15"));
        subject.admits(30, at("12:00:25"));

        subject.giveBack(15, at("12:00:15"), at("12:00:45"));

        assertThat(subject.used(at("12:00:45"))).isEqualTo(45);
        assertThat(subject.used(at("12:01:10"))).isEqualTo(35);
        assertThat(subject.used(at("12:01:20"))).isEqualTo(30);
    }

    @Test
    void givesBackNoMoreThanThePartHoldsAndNothingThatIsOver() {
        subject.admits(10, at("12:00:05"));
        subject.admits(20, at("12:00:15"));

        subject.giveBack(50, at("12:00:05"), at("12:00:45"));
        subject.giveBack(20, at("12:00:15"), at("12:01:25"));

        assertThat(subject.used(at("12:00:45"))).isEqualTo(20);
    }

    @Test
    void whatACallCostMoreIsADebtOfThePartOfNow() {
        subject.admits(50, at("12:00:05"));
        subject.settle(70, at("12:00:05"), at("12:00:15"));

        assertThat(subject.remaining(at("12:00:15"))).isZero();
        assertThat(subject.used(at("12:01:10"))).isEqualTo(70);
    }

    @Test
    void keepsWhatIsUsedWhenTheNumbersChange() {
        subject.admits(40, at("12:00:05"));
        subject.changeLimitTo(quota(50, MINUTE, 6));
        assertThat(subject.remaining(at("12:00:15"))).isEqualTo(10);
        subject.changeLimitTo(quota(1_000, MINUTE, 6));
        assertThat(subject.remaining(at("12:00:15"))).isEqualTo(960);
    }

    /** It does not settle after the clock stepped back: the plain counter remembers the time though nothing was given back. */
    @Test
    void withOnePartItIsThePlainCounter() {
        SeededRandom.each("one part", 300, random -> {
            Quota quota = quota(random.ofAnySize(1, 1_000), random.oneOf(1_000L, 7_919L, MINUTE), 1);
            Subject parts = new Subject(new SlidingWindowParts(1), quota);
            Subject plain = new Subject(new SlidingWindowCounter(), quota);
            boolean backwards = random.oneIn(2);
            long now = at("12:00:00");
            List<Admission> calls = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                now += random.oneIn(3) ? 0 : random.ofAnySize(1, quota.windowMicros());
                now -= backwards && random.oneIn(9) ? random.ofAnySize(1, 3 * quota.windowMicros()) : 0;
                long cost = random.ofAnySize(1, quota.capacity());
                assertThat(parts.retryAfter(cost, now)).isEqualTo(plain.retryAfter(cost, now));
                if (plain.admits(cost, now)) {
                    parts.admits(cost, now);
                    calls.add(new Admission(now, cost));
                }
                if (!backwards && !calls.isEmpty() && random.oneIn(4)) {
                    Admission call = random.oneOf(calls.toArray(Admission[]::new));
                    long more = random.oneIn(2) ? -call.cost() : random.ofAnySize(1, quota.capacity());
                    parts.settle(more, call.atMicros(), now);
                    plain.settle(more, call.atMicros(), now);
                }
                assertThat(parts.used(now)).isEqualTo(plain.used(now));
                assertThat(parts.resetAfter(now)).isEqualTo(plain.resetAfter(now));
                assertThat(parts.lasts(now)).isEqualTo(plain.lasts(now));
            }
        });
    }

    @Test
    void noTimeOfAWindowLessAPartHoldsMoreThanTheLimit() {
        SeededRandom.each("less a part", 300, random -> {
            int buckets = random.oneOf(2, 3, 10);
            Quota quota = quota(random.between(1, 20), buckets * random.oneOf(1_000L, 7_919L), buckets);
            Subject caller = subject(quota);
            List<Admission> admitted = new ArrayList<>();
            long now = at("12:00:00");
            for (int i = 0; i < 100; i++) {
                now += random.oneIn(2) ? 0 : random.ofAnySize(1, quota.windowMicros());
                long cost = random.between(1, quota.capacity());
                if (caller.admits(cost, now)) {
                    admitted.add(new Admission(now, cost));
                }
            }
            AdmittedHistory history = AdmittedHistory.of(admitted);
            assertThat(history.mostWithin(quota.windowMicros() - quota.window().partMicros()))
                    .isLessThanOrEqualTo(quota.maxRequests());
        });
    }

    private static Subject subject(Quota quota) {
        return new Subject(new SlidingWindowParts(quota.window().buckets()), quota);
    }

    private static Quota quota(long maxRequests, long windowMicros, int buckets) {
        return new Quota(maxRequests, new Window(windowMicros, Optional.empty(), buckets), maxRequests);
    }
}
