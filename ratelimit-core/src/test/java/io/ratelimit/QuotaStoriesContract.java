package io.ratelimit;

import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.internal.Micros;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Quotas as people know them, played through. */
public interface QuotaStoriesContract extends StoreUnderTest {

    @ParameterizedTest
    @CsvSource({"FIXED_WINDOW, 100", "SLIDING_WINDOW_COUNTER, 55", "SLIDING_WINDOW_LOG, 50"})
    default void aBurstAroundABoundaryIsWhatTheAlgorithmsDifferIn(Algorithm algorithm, int admitted) {
        Limit fifty = Limit.of("fifty", algorithm, 50, Duration.ofSeconds(10));

        setClock(at("12:00:09"));
        int before = admitted(50, fifty, "alice");
        setClock(at("12:00:11"));
        int after = admitted(50, fifty, "alice");

        assertThat(before + after).isEqualTo(admitted);
    }

    @Test
    default void aDailyQuotaWhereASearchCostsAHundredTimesAVideo() {
        Limit daily = Limit.of("daily", Algorithm.FIXED_WINDOW, 9_500, Duration.ofDays(1));

        setClock(at("09:00:00"));
        for (int i = 0; i < 94; i++) {
            assertThat(admits(daily, "app", 100)).isTrue();
        }
        assertThat(admitted(50, daily, "app")).isEqualTo(50);
        Decision search = limiter().acquire(Acquisition.of(daily, "app", 100));
        assertThat(search.allowed()).isFalse();
        assertThat(search.remaining()).isEqualTo(50);
        assertThat(search.retryAfter()).isEqualTo(Duration.ofHours(15));
        assertThat(admitted(51, daily, "app")).isEqualTo(50);
        setClock(at("09:00:00") + Micros.of(search.retryAfter()));
        assertThat(admits(daily, "app", 100)).isTrue();
    }

    @Test
    default void sixEntriesOfTheLastMinuteLeaveFourOfTen() {
        Limit ten = Limit.of("ten", Algorithm.SLIDING_WINDOW_LOG, 10, Duration.ofMinutes(1));
        for (String time : new String[] {"12:04:31", "12:04:45", "12:04:55", "12:05:10", "12:05:20", "12:05:28"}) {
            assertThat(acquireAt(at(time), Acquisition.of(ten, "alice")).allowed())
                    .isTrue();
        }

        Decision allowed = acquireAt(at("12:05:30"), Acquisition.of(ten, "alice"));

        assertThat(allowed.allowed()).isTrue();
        assertThat(allowed.remaining()).isEqualTo(3);
    }

    @Test
    default void eightyBeforeAndThirtyNowAreSeventyInTheMiddleOfTheWindow() {
        Limit hundred = Limit.of("hundred", Algorithm.SLIDING_WINDOW_COUNTER, 100, Duration.ofMinutes(1));
        acquireAt(at("12:00:00"), Acquisition.of(hundred, "alice", 80));
        acquireAt(at("12:01:30"), Acquisition.of(hundred, "alice", 30));

        assertThat(remaining(hundred, "alice")).isEqualTo(30);
    }

    @Test
    default void threePerSecondAreExactlyThreeHundredInAHundredSeconds() {
        Limit three = Limit.of("three", Algorithm.TOKEN_BUCKET, 3, Duration.ofSeconds(1));
        long now = at("12:00:00");
        acquireAt(now, Acquisition.of(three, "alice", 3));
        Acquisition one = Acquisition.of(three, "alice");
        for (int i = 0; i < 300; i++) {
            now += Micros.of(acquireAt(now, one).retryAfter());
            assertThat(acquireAt(now, one).allowed()).isTrue();
        }

        assertThat(now).isEqualTo(at("12:01:40"));
    }

    @ParameterizedTest
    @CsvSource({"FIXED_WINDOW", "SLIDING_WINDOW_LOG", "SLIDING_WINDOW_COUNTER", "TOKEN_BUCKET"})
    default void aTrillionIsCountedToTheLastOne(Algorithm algorithm) {
        setClock(at("12:00:00"));
        Limit vast = Limit.of("vast", algorithm, 1_000_000_000_000L, Duration.ofDays(366));

        assertThat(admits(vast, "alice", 999_999_999_998L)).isTrue();
        assertThat(remaining(vast, "alice")).isEqualTo(2);
        assertThat(admitted(3, vast, "alice")).isEqualTo(2);
        assertThat(remaining(vast, "alice")).isZero();
    }
}
