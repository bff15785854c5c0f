package io.ratelimit.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.spring.HeaderFamily;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimitHeadersTest {

    private static final Limit BURST =
            Limit.of("burst", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1)).withBurst(20);
    private static final Limit HOURLY = Limit.of("hourly", Algorithm.SLIDING_WINDOW_COUNTER, 1000, Duration.ofHours(1));

    @Test
    void writesBothFamiliesForTwoLimits() {
        Map<String, String> headers = written(
                List.of(HeaderFamily.IETF, HeaderFamily.X_RATELIMIT), admits(BURST, 19, 1), admits(HOURLY, 990, 2713));

        assertThat(RateLimitHeaders.EXPOSED).containsAll(headers.keySet());
        assertThat(headers)
                .containsExactly(
                        Map.entry("RateLimit-Policy", "\"burst\";q=20;w=2,\"hourly\";q=1000;w=3600"),
                        Map.entry("RateLimit", "\"burst\";r=19;t=1,\"hourly\";r=990;t=2713"),
                        Map.entry("X-RateLimit-Limit", "20"),
                        Map.entry("X-RateLimit-Remaining", "19"),
                        Map.entry("X-RateLimit-Reset", "1"));
    }

    @Test
    void callsInFlightHaveAUnitAndNoWindow() {
        Limit atOnce = Limit.of("reports", Algorithm.CONCURRENCY, 2, Duration.ofMinutes(10));

        assertThat(written(List.of(HeaderFamily.IETF), admits(atOnce, 1, 600)))
                .containsEntry("RateLimit-Policy", "\"reports\";q=2;qu=\"concurrent-requests\"")
                .containsEntry("RateLimit", "\"reports\";r=1;t=600");
    }

    @Test
    void writesOnlyTheFamilyAskedFor() {
        assertThat(written(List.of(HeaderFamily.IETF), admits(HOURLY, 990, 10)))
                .containsOnlyKeys("RateLimit-Policy", "RateLimit");
        assertThat(written(List.of(HeaderFamily.X_RATELIMIT), admits(HOURLY, 990, 10)))
                .containsOnlyKeys("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");
    }

    @Test
    void writesNothingUnderNone() {
        assertThat(written(List.of(HeaderFamily.NONE), admits(HOURLY, 990, 10))).isEmpty();
        assertThat(written(List.of(), admits(HOURLY, 990, 10))).isEmpty();
    }

    @Test
    void writesNothingWhereNoStoreAnswered() {
        assertThat(written(List.of(HeaderFamily.IETF, HeaderFamily.X_RATELIMIT)))
                .isEmpty();
    }

    @Test
    void tellsARefusingLimitsWaitAndTheOthersReset() {
        LimitStatus refuses = new LimitStatus(BURST, 0, Duration.ofMillis(100), Duration.ofSeconds(2));

        assertThat(written(List.of(HeaderFamily.IETF), refuses, admits(HOURLY, 990, 2713)))
                .containsEntry("RateLimit", "\"burst\";r=0;t=1,\"hourly\";r=990;t=2713");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "999_999, 1", "1_000_000, 1", "1_000_001, 2", "59_000_001, 60"})
    void roundsTimesUp(String micros, long seconds) {
        LimitStatus status = LimitStatus.ofMicros(HOURLY, 5, 0, Long.parseLong(micros.replace("_", "")));

        assertThat(written(List.of(HeaderFamily.IETF), status))
                .containsEntry("RateLimit", "\"hourly\";r=5;t=" + seconds);
    }

    @ParameterizedTest
    @CsvSource({
        "FIXED_WINDOW, 10, PT0.5S, q=10",
        "FIXED_WINDOW, 10, PT1.5S, q=10",
        "FIXED_WINDOW, 10, PT60S, q=10;w=60",
        "SLIDING_WINDOW_LOG, 10, P366D, q=10;w=31622400",
        "TOKEN_BUCKET, 10, PT0.001S, q=10"
    })
    void leavesOutAWindowThatIsNotWholeSeconds(Algorithm algorithm, long requests, Duration window, String parameters) {
        LimitStatus status = admits(Limit.of("it", algorithm, requests, window), 9, 1);

        assertThat(written(List.of(HeaderFamily.IETF), status))
                .containsEntry("RateLimit-Policy", "\"it\";" + parameters);
    }

    @ParameterizedTest
    @CsvSource({"10, 20, q=20;w=2", "10, 15, q=15", "10, 5, q=5", "10, 10, q=10;w=1", "3, 30, q=30;w=10"})
    void tellsATokenBucketsCapacityAndTheTimeToRefillIt(long requests, long burst, String parameters) {
        Limit bucket = Limit.of("it", Algorithm.TOKEN_BUCKET, requests, Duration.ofSeconds(1))
                .withBurst(burst);

        assertThat(written(List.of(HeaderFamily.IETF), admits(bucket, 1, 1)))
                .containsEntry("RateLimit-Policy", "\"it\";" + parameters);
    }

    @Test
    void tellsTheMostRestrictiveLimitInTheOlderFamily() {
        LimitStatus refuses = new LimitStatus(HOURLY, 40, Duration.ofSeconds(30), Duration.ofSeconds(3000));

        assertThat(written(List.of(HeaderFamily.X_RATELIMIT), admits(BURST, 0, 1), refuses))
                .containsEntry("X-RateLimit-Limit", "1000")
                .containsEntry("X-RateLimit-Remaining", "40")
                .containsEntry("X-RateLimit-Reset", "30");
        assertThat(written(List.of(HeaderFamily.X_RATELIMIT), admits(HOURLY, 7, 100), admits(BURST, 9, 1)))
                .containsEntry("X-RateLimit-Limit", "1000")
                .containsEntry("X-RateLimit-Remaining", "7");
    }

    @Test
    void namesALimitOnceAsTheMoreRestrictiveOfItsAnswers() {
        assertThat(written(
                        List.of(HeaderFamily.IETF), admits(HOURLY, 7, 5), admits(HOURLY, 3, 6), admits(HOURLY, 4, 7)))
                .containsEntry("RateLimit-Policy", "\"hourly\";q=1000;w=3600")
                .containsEntry("RateLimit", "\"hourly\";r=3;t=6");
    }

    private static LimitStatus admits(Limit limit, long remaining, long resetSeconds) {
        return new LimitStatus(limit, remaining, Duration.ZERO, Duration.ofSeconds(resetSeconds));
    }

    private static Map<String, String> written(List<HeaderFamily> families, LimitStatus... statuses) {
        Map<String, String> headers = new LinkedHashMap<>();
        new RateLimitHeaders(families).write(List.of(statuses), seconds -> seconds, headers::put);
        return headers;
    }
}
