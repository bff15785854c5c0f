package io.ratelimit.redis;

import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.testing.NoThreadsLeft;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The clock of Redis is set back and forward by ten seconds: nothing extra is admitted, and nobody is locked out. */
@ExtendWith(NoThreadsLeft.class)
class ClockStepsTest {

    private static final Logger LOG = LoggerFactory.getLogger(ClockStepsTest.class);
    private static final long NOON = at("12:00:00");
    private static final long STEP = 10 * SECOND;

    private final RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn();

    @AfterEach
    void close() {
        redis.close();
    }

    @ParameterizedTest
    @EnumSource
    void stepsBackAndForwardAdmitNothingExtra(Algorithm algorithm) {
        Acquisition one = one(algorithm);
        assertThat(admittedAt(NOON, one)).isEqualTo(5);

        long extra = admittedAt(NOON - STEP, one) + admittedAt(NOON + STEP, one) + admittedAt(NOON, one);

        LOG.info("{}: clock 10 s back and forward, admitted {} extra", algorithm.label(), extra);
        assertThat(extra).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void whoWasCountedBeforeTheClockWentBackIsLockedOutNoLongerThanTheWindowAndTheStep(Algorithm algorithm) {
        Acquisition one = one(algorithm);
        assertThat(admittedAt(NOON + STEP, one)).isEqualTo(5);
        redis.setClock(NOON);
        Duration told = redis.limiter().acquire(one).retryAfter();

        long step = 100_000;
        long waited = 0;
        redis.setClock(NOON);
        while (!redis.limiter().acquire(one).allowed()) {
            waited += step;
            redis.setClock(NOON + waited);
        }

        LOG.info("{}: clock 10 s back, locked out for {} ms of a window of 60 s", algorithm.label(), waited / 1_000);
        // the counter's window before this one still counts in part
        long window = algorithm == Algorithm.SLIDING_WINDOW_COUNTER ? 2 * MINUTE : MINUTE;
        assertThat(told).isLessThanOrEqualTo(Duration.ofNanos((window + STEP) * 1_000));
        assertThat(waited).isLessThanOrEqualTo(window + STEP);
    }

    private long admittedAt(long micros, Acquisition one) {
        redis.setClock(micros);
        return IntStream.range(0, 20)
                .filter(i -> redis.limiter().acquire(one).allowed())
                .count();
    }

    private static Acquisition one(Algorithm algorithm) {
        return Acquisition.of(Limit.of("five", algorithm, 5, Duration.ofMinutes(1)), "alice");
    }
}
