package io.ratelimit.internal.algorithm;

import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.Quota;
import io.ratelimit.Window;
import io.ratelimit.testing.AdmittedHistory;
import io.ratelimit.testing.AdmittedHistory.Admission;
import io.ratelimit.testing.SeededRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The clock steps back at random by any span while real time goes on, and calls turn out to cost more or less than they were
 * charged. No stretch of real time holds more admissions than the algorithm promises, every retryAfter is exact, and no wait
 * is longer than without steps.
 */
class ClockStepsTest {

    private static final int SCHEDULES = 3_000;
    private static final int STEPS = 60;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void noStretchOfRealTimeHoldsMoreThanWithoutSteps(Algorithm algorithm) {
        SeededRandom.each(
                "clock steps " + algorithm, SCHEDULES, random -> play(random, algorithm, someQuota(random, algorithm)));
    }

    @Test
    void noStretchOfRealTimeHoldsMoreOfWindowsInParts() {
        SeededRandom.each("clock steps in parts", SCHEDULES, random -> {
            int buckets = random.oneOf(2, 5, 60);
            Window window = new Window(buckets * random.oneOf(10L, 1_000L, 7_919L) * 1_000, Optional.empty(), buckets);
            long max = random.between(1, 10);
            play(random, Algorithm.SLIDING_WINDOW_COUNTER, new Quota(max, window, max));
        });
    }

    /** A refund that comes when nothing of the call is left: all that counts is of a call after the step. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    void aCallBeforeAStepThatNoLongerCountsGetsNothingBack(Algorithm algorithm) {
        getsNothingBack(algorithm, 1);
    }

    @Test
    void aCallBeforeAStepThatNoLongerCountsInPartsGetsNothingBack() {
        getsNothingBack(Algorithm.SLIDING_WINDOW_COUNTER, 2);
    }

    private static void getsNothingBack(Algorithm algorithm, int buckets) {
        Window window = new Window(10 * SECOND, Optional.empty(), buckets);
        Subject subject = new Subject(Tally.of(algorithm, window), new Quota(10, window, 10));
        subject.admits(10, at("12:00:30"));
        assertThat(subject.admits(at("12:00:05"))).isFalse();
        assertThat(subject.admits(10, at("12:00:25"))).isTrue();

        subject.giveBack(10, at("12:00:30"), at("12:00:26"));

        assertThat(subject.remaining(at("12:00:26"))).isLessThanOrEqualTo(1); // which a bucket has refilled
    }

    /** Calls shorter than the window, each of which ends or whose process dies; none comes at a time that the clock has shown before. */
    @Test
    void noMoreCallsAreInFlightThanWithoutSteps() {
        SeededRandom.each("clock steps in flight", SCHEDULES, random -> {
            Quota quota = someQuota(random, Algorithm.CONCURRENCY);
            long window = quota.windowMicros();
            Subject subject = new Subject(new Concurrency(), quota);
            List<Admission> inFlight = new ArrayList<>();
            List<Long> takenAt = new ArrayList<>();
            Set<Long> shown = new HashSet<>();
            long real = at("12:00:00");
            long clock = real;
            for (int i = 0; i < STEPS; i++) {
                long passed = 1 + (random.oneIn(3) ? pause(random, window, clock, 0) : random.between(0, window / 4));
                real += passed;
                clock += passed - (random.oneIn(8) ? 1 + random.ofAnySize(1, 2 * window) : 0);
                while (!inFlight.isEmpty() && real - inFlight.get(0).atMicros() >= window) {
                    inFlight.remove(0);
                    takenAt.remove(0);
                }
                if (!inFlight.isEmpty() && random.oneIn(2)) {
                    int which = (int) random.between(0, inFlight.size() - 1);
                    subject.giveBack(inFlight.remove(which).cost(), takenAt.remove(which), clock);
                }
                long cost = random.between(1, quota.capacity());
                if (shown.add(clock) && subject.admits(cost, clock)) {
                    inFlight.add(new Admission(real, cost));
                    takenAt.add(clock);
                }
                assertThat(inFlight.stream().mapToLong(Admission::cost).sum()).isLessThanOrEqualTo(quota.maxRequests());
            }
        });
    }

    private static void play(SeededRandom random, Algorithm algorithm, Quota quota) {
        Subject subject = new Subject(Tally.of(algorithm, quota.window()), quota);
        List<Admission> admitted = new ArrayList<>();
        List<Long> takenAt = new ArrayList<>();
        int beforeStep = 0;
        long window = quota.windowMicros();
        long real = at("12:00:00");
        long clock = at("12:00:00") + random.between(0, 2 * window);
        long retryAfter = 0;
        for (int i = 0; i < STEPS; i++) {
            long passed = pause(random, window, clock, retryAfter);
            real += passed;
            clock += passed;
            if (random.oneIn(4)) {
                real += algorithm.isReleased() ? 1 : 0; // the next call comes a µs later at least
                clock -= random.oneIn(2) ? random.ofAnySize(1, 5 * window) : 1 + clock % window;
                beforeStep = admitted.size();
            }
            if (!algorithm.isReleased() && !admitted.isEmpty() && random.oneIn(12)) {
                subject.settle(random.ofAnySize(1, 100 * quota.capacity()), clock, clock);
            }
            if (!algorithm.isReleased() && !admitted.isEmpty() && random.oneIn(4)) {
                int which = (int) random.between(0, admitted.size() - 1);
                Admission call = admitted.get(which);
                boolean isShort = algorithm == Algorithm.TOKEN_BUCKET
                        ? which >= beforeStep || takenAt.get(which) > clock
                        : real - call.atMicros() < window;
                if (isShort && call.cost() > 0) {
                    long unused = random.between(1, call.cost());
                    subject.giveBack(unused, takenAt.get(which), clock);
                    admitted.set(which, new Admission(call.atMicros(), call.cost() - unused));
                }
            }
            long cost = random.oneIn(2) ? 1 : random.between(1, quota.capacity());
            retryAfter = subject.retryAfter(cost, clock);
            assertThat(retryAfter).isLessThanOrEqualTo(longestWait(algorithm, quota));
            if (algorithm.isReleased() && retryAfter == SECOND) { // a call may end before
                assertThat(subject.retryAfter(cost, clock + retryAfter - 1)).isPositive();
            } else if (retryAfter > 0) {
                assertThat(subject.retryAfter(cost, clock + retryAfter - 1)).isEqualTo(1);
                assertThat(subject.retryAfter(cost, clock + retryAfter)).isZero();
            } else if (subject.admits(cost, clock)) {
                admitted.add(new Admission(real, cost));
                takenAt.add(clock);
            }
        }
        assertKept(algorithm, quota, AdmittedHistory.of(admitted));
    }

    private static void assertKept(Algorithm algorithm, Quota quota, AdmittedHistory history) {
        if (algorithm == Algorithm.SLIDING_WINDOW_LOG || algorithm == Algorithm.TOKEN_BUCKET) {
            assertThat(history.mostUsed(algorithm, quota))
                    .as("%s: %s", quota, history)
                    .isLessThanOrEqualTo(quota.capacity());
        } else {
            assertThat(history.mostWithin(quota.windowMicros()))
                    .as("%s: %s", quota, history)
                    .isLessThanOrEqualTo(AdmittedHistory.mostInAnyWindow(algorithm, quota));
        }
    }

    /** The counter's window before this one counts in part, and a bucket's debt of a window is refilled first. */
    private static long longestWait(Algorithm algorithm, Quota quota) {
        return switch (algorithm) {
            case FIXED_WINDOW, SLIDING_WINDOW_LOG, UNIQUE_COUNT, APPROXIMATE_UNIQUE_COUNT -> quota.windowMicros();
            case CONCURRENCY -> Math.min(SECOND, quota.windowMicros());
            case SLIDING_WINDOW_COUNTER -> 2 * quota.windowMicros();
            case TOKEN_BUCKET -> 3 * Math.max(quota.windowMicros(), quota.refillMicros());
        };
    }

    private static long pause(SeededRandom random, long window, long clock, long retryAfter) {
        return switch ((int) random.between(0, 6)) {
            case 0, 1 -> 0;
            case 2 -> random.ofAnySize(1, window);
            case 3 -> window - clock % window;
            case 4 -> window - 1 - clock % window;
            case 5 -> random.oneIn(3) ? random.between(1, 3 * window) : 1;
            default -> retryAfter;
        };
    }

    private static Quota someQuota(SeededRandom random, Algorithm algorithm) {
        long max = random.between(1, 10);
        long window = random.oneOf(10L, 1_000L, 7_919L) * 1_000;
        return new Quota(max, window, algorithm.hasBurst() ? random.between(1, 3 * max) : max);
    }
}
