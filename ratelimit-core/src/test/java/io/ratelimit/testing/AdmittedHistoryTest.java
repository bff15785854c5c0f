package io.ratelimit.testing;

import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.Quota;
import io.ratelimit.testing.AdmittedHistory.Admission;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A history that keeps its limit just so, and the same one admission or one µs away from it, which does not. */
class AdmittedHistoryTest {

    private static final long NOON = at("12:00:00");
    private static final Quota TEN_PER_MINUTE = new Quota(10, MINUTE, 10);

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void oneRequestTooManyAtOnceIsSeen(Algorithm algorithm) {
        assertThat(history(new Admission(NOON, 7), new Admission(NOON, 3)).mostUsed(algorithm, TEN_PER_MINUTE))
                .isEqualTo(10);
        assertThat(history(new Admission(NOON, 7), new Admission(NOON, 4)).mostUsed(algorithm, TEN_PER_MINUTE))
                .isEqualTo(11);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void oneTooManyIsSeenInTheMiddleOfALongHistory(Algorithm algorithm) {
        List<Admission> even = LongStream.range(0, 2_000)
                .mapToObj(i -> new Admission(NOON + 1 + i * 6 * SECOND, 1))
                .toList();
        List<Admission> twice = IntStream.range(0, 2_020)
                .mapToObj(i -> i < 1_000 ? i : Math.max(1_000, i - 20))
                .map(i -> new Admission(NOON + 1 + i * 6 * SECOND, 1))
                .toList();

        assertThat(AdmittedHistory.of(even).mostUsed(algorithm, TEN_PER_MINUTE)).isLessThanOrEqualTo(10);
        assertThat(AdmittedHistory.of(twice).mostUsed(algorithm, TEN_PER_MINUTE))
                .isGreaterThan(10);
    }

    @Test
    void theLogMayAdmitAgainOneWindowLaterAndNotOneMicrosecondEarlier() {
        assertThat(tenAndOneAfter(MINUTE, 1).mostUsed(Algorithm.SLIDING_WINDOW_LOG, TEN_PER_MINUTE))
                .isEqualTo(10);
        assertThat(tenAndOneAfter(MINUTE - 1, 1).mostUsed(Algorithm.SLIDING_WINDOW_LOG, TEN_PER_MINUTE))
                .isEqualTo(11);
    }

    @Test
    void theFixedWindowMayAdmitAgainInTheNextWindowAndNotOneMicrosecondEarlier() {
        assertThat(tenAndOneAfter(MINUTE, 10).mostUsed(Algorithm.FIXED_WINDOW, TEN_PER_MINUTE))
                .isEqualTo(10);
        assertThat(tenAndOneAfter(MINUTE - 1, 1).mostUsed(Algorithm.FIXED_WINDOW, TEN_PER_MINUTE))
                .isEqualTo(11);
        assertThat(tenAndOneAfter(MINUTE, 10).mostWithin(MINUTE + 1)).isEqualTo(20);
    }

    @Test
    void theBucketMayAdmitWhatHasComeInAndNotOneMicrosecondEarlier() {
        Quota thirds = new Quota(3, SECOND, 10);

        assertThat(tenAndOneAfter(333_334, 1).mostUsed(Algorithm.TOKEN_BUCKET, thirds))
                .isEqualTo(10);
        assertThat(tenAndOneAfter(333_333, 1).mostUsed(Algorithm.TOKEN_BUCKET, thirds))
                .isEqualTo(11);
        assertThat(tenAndOneAfter(SECOND, 3).mostUsed(Algorithm.TOKEN_BUCKET, thirds))
                .isEqualTo(10);
        assertThat(tenAndOneAfter(SECOND, 4).mostUsed(Algorithm.TOKEN_BUCKET, thirds))
                .isEqualTo(11);
    }

    @Test
    void theBucketDoesNotSaveUpAboveItsBurst() {
        AdmittedHistory afterADay = history(
                new Admission(NOON, 1), new Admission(NOON + TestTime.DAY, 10), new Admission(NOON + TestTime.DAY, 1));

        assertThat(afterADay.mostUsed(Algorithm.TOKEN_BUCKET, TEN_PER_MINUTE)).isEqualTo(11);
    }

    @Test
    void theCounterMayAdmitWhatItsEstimateFreesAndNotOneMicrosecondEarlier() {
        // of 10 in the window before, fewer than 9 + 1 are left from 1/60,000,000 of the window on, and fewer than 8 +
        // 1
        // from just over a tenth of it on
        assertThat(tenAndOneAfter(MINUTE + 1, 1).mostUsed(Algorithm.SLIDING_WINDOW_COUNTER, TEN_PER_MINUTE))
                .isEqualTo(10);
        assertThat(tenAndOneAfter(MINUTE, 1).mostUsed(Algorithm.SLIDING_WINDOW_COUNTER, TEN_PER_MINUTE))
                .isEqualTo(11);
        assertThat(tenAndOneAfter(MINUTE + 6 * SECOND + 1, 2)
                        .mostUsed(Algorithm.SLIDING_WINDOW_COUNTER, TEN_PER_MINUTE))
                .isEqualTo(10);
        assertThat(tenAndOneAfter(MINUTE + 6 * SECOND, 2).mostUsed(Algorithm.SLIDING_WINDOW_COUNTER, TEN_PER_MINUTE))
                .isEqualTo(11);
    }

    @Test
    void numbersBeyondALongAreCountedExactly() {
        Quota vast = new Quota(1_000_000_000_000L, 366 * TestTime.DAY, 1_000_000_000_000L);
        AdmittedHistory full = history(new Admission(NOON, 1_000_000_000_000L), new Admission(NOON + 31, 1));
        AdmittedHistory over = history(new Admission(NOON, 1_000_000_000_000L), new Admission(NOON + 32, 1));

        // a token every 31.6 µs
        assertThat(full.mostUsed(Algorithm.TOKEN_BUCKET, vast)).isEqualTo(1_000_000_000_001L);
        assertThat(over.mostUsed(Algorithm.TOKEN_BUCKET, vast)).isEqualTo(1_000_000_000_000L);
    }

    @Test
    void theOrderOfTheListDoesNotMatter() {
        AdmittedHistory backwards = history(new Admission(NOON + MINUTE - 1, 1), new Admission(NOON, 10));

        assertThat(backwards.mostUsed(Algorithm.SLIDING_WINDOW_LOG, TEN_PER_MINUTE))
                .isEqualTo(11);
    }

    private static AdmittedHistory tenAndOneAfter(long micros, long cost) {
        return history(new Admission(NOON, 10), new Admission(NOON + micros, cost));
    }

    private static AdmittedHistory history(Admission... admissions) {
        return AdmittedHistory.of(List.of(admissions));
    }
}
