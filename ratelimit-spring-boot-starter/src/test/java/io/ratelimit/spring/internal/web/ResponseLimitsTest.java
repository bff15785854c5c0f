package io.ratelimit.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.spring.HeaderFamily;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The waits that responses tell are spread, if that is configured. */
class ResponseLimitsTest {

    private static final Limit LOGIN = Limit.of("login", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1));
    private static final Limit HOURLY = Limit.of("hourly", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1));
    private static final double ALMOST_ONE = Math.nextDown(1.0);

    @Test
    void refusalsTogetherSpreadEvenlyOverTheShareAndAreNeverEarlierThanTrue() {
        Random random = new Random(10);
        RateLimitHeaders headers = spread(10, random::nextDouble);

        Map<Long, Long> told = IntStream.range(0, 1000)
                .mapToObj(i -> new ResponseLimits().told(100, headers))
                .collect(Collectors.groupingBy(seconds -> seconds, Collectors.counting()));

        assertThat(told.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(100, 110).boxed().toList());
        assertThat(told.values()).allSatisfy(count -> assertThat(count).isBetween(50L, 150L));
    }

    @Test
    void nothingIsAddedToWaitsWhoseShareIsBelowASecondOrWithoutASpread() {
        assertThat(new ResponseLimits().told(9, spread(10, () -> ALMOST_ONE))).isEqualTo(9);
        assertThat(new ResponseLimits().told(10, spread(10, () -> ALMOST_ONE))).isEqualTo(11);
        assertThat(new ResponseLimits().told(10, spread(10, () -> 0))).isEqualTo(10);
        assertThat(new ResponseLimits().told(10, new RateLimitHeaders(List.of())))
                .isEqualTo(10);
    }

    @Test
    void aResponseAddsTheSameShareInAllOfItsHeadersHoweverOftenItIsDecided() {
        RateLimitHeaders headers = spread(100, new Random(1)::nextDouble);
        for (int response = 0; response < 100; response++) {
            ResponseLimits limits = new ResponseLimits();
            Map<String, String> written = new HashMap<>();
            limits.show(
                    decision(new LimitStatus(LOGIN, 5, Duration.ZERO, Duration.ofSeconds(7))), headers, written::put);
            assertThat(written.get("RateLimit")).isEqualTo("\"login\";r=5;t=7");

            limits.show(decision(refuses(HOURLY, 100)), headers, written::put);
            limits.show(decision(refuses(LOGIN, 60)), headers, written::put);

            long hourly = limits.told(100, headers);
            assertThat(written)
                    .containsEntry(
                            "RateLimit",
                            "\"login\";r=0;t=%d,\"hourly\";r=0;t=%d".formatted(limits.told(60, headers), hourly))
                    .containsEntry("X-RateLimit-Reset", String.valueOf(hourly));
            assertThat(hourly).isBetween(100L, 200L).isGreaterThan(limits.told(60, headers));
        }
    }

    private static RateLimitHeaders spread(int percent, DoubleSupplier random) {
        return new RateLimitHeaders(List.of(HeaderFamily.IETF, HeaderFamily.X_RATELIMIT), percent, random);
    }

    private static LimitStatus refuses(Limit limit, long seconds) {
        return new LimitStatus(limit, 0, Duration.ofSeconds(seconds), Duration.ofHours(1));
    }

    private static Decision decision(LimitStatus status) {
        return Decision.of(List.of(status), Instant.EPOCH);
    }
}
