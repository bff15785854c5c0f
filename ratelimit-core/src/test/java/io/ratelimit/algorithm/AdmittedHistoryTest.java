package io.ratelimit.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.algorithm.RandomCalls.Admitted;
import io.ratelimit.testing.SeededRandom;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What was admitted obeys the limit: counted again from the whole history by the plainest sum that says what the
 * algorithm promises.
 */
class AdmittedHistoryTest {

    private static final int HISTORIES = 600;

    @ParameterizedTest
    @EnumSource
    void usedIsExactlyWhatTheHistoryHolds(Algorithm algorithm) {
        SeededRandom random = SeededRandom.of("history " + algorithm);
        for (int i = 0; i < HISTORIES; i++) {
            RandomCalls calls = RandomCalls.ofSmallLimits(algorithm, random);
            for (int j = 0; j < 60; j++) {
                Subject subject = calls.make(2).subject;
                long now = calls.nowMicros()
                        + (random.oneIn(2) ? random.between(0, subject.quota().windowMicros()) : 0);
                assertThat(subject.used(now))
                        .as("%s: %s, %s", SeededRandom.seed(), subject.quota(), calls.admitted)
                        .isEqualTo(used(algorithm, calls.admitted, subject.quota(), now));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatWasNotGivenBackNeverExceedsTheLimit(Algorithm algorithm) {
        SeededRandom random = SeededRandom.of("refunds " + algorithm);
        for (int i = 0; i < HISTORIES; i++) {
            RandomCalls calls =
                    RandomCalls.ofSmallLimitsWithRefunds(algorithm, random).make(120);
            Quota quota = calls.subject.quota();
            for (int last = 0; last < calls.admitted.size(); last++) {
                List<Admitted> until = calls.admitted.subList(0, last + 1);
                assertThat(used(algorithm, until, quota, until.get(last).atMicros()))
                        .as("%s: %s, %s", SeededRandom.seed(), quota, until)
                        .isLessThanOrEqualTo(quota.capacity());
            }
        }
    }

    private static long used(Algorithm algorithm, List<Admitted> history, Quota quota, long now) {
        return switch (algorithm) {
            case FIXED_WINDOW -> sumOfWindow(now / quota.windowMicros(), history, quota);
            case SLIDING_WINDOW_LOG -> sumSince(now - quota.windowMicros(), history);
            case SLIDING_WINDOW_COUNTER -> weightedSum(history, quota, now);
            case TOKEN_BUCKET -> mostAboveTheRefill(history, quota, now);
        };
    }

    private static long sumOfWindow(long window, List<Admitted> history, Quota quota) {
        return history.stream()
                .filter(admitted -> admitted.atMicros() / quota.windowMicros() == window)
                .mapToLong(Admitted::cost)
                .sum();
    }

    private static long sumSince(long since, List<Admitted> history) {
        return history.stream()
                .filter(admitted -> admitted.atMicros() > since)
                .mapToLong(Admitted::cost)
                .sum();
    }

    private static long weightedSum(List<Admitted> history, Quota quota, long now) {
        long window = now / quota.windowMicros();
        long left = quota.windowMicros() - now % quota.windowMicros();
        long share = Math.multiplyExact(sumOfWindow(window - 1, history, quota), left) / quota.windowMicros();
        return share + sumOfWindow(window, history, quota);
    }

    /** The most of any stretch that ends now, less the whole tokens that came in during it. */
    private static long mostAboveTheRefill(List<Admitted> history, Quota quota, long now) {
        long sum = 0;
        long most = 0;
        for (int first = history.size() - 1; first >= 0; first--) {
            sum += history.get(first).cost();
            long meanwhile = now - history.get(first).atMicros();
            long refilled = Math.multiplyExact(meanwhile, quota.maxRequests()) / quota.windowMicros();
            most = Math.max(most, sum - refilled);
        }
        return most;
    }
}
