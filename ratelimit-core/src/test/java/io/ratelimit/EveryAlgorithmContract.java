package io.ratelimit;

import static io.ratelimit.StoreUnderTest.fivePerMinute;
import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.HOUR;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.internal.Micros;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a store answers whatever the algorithm, to one limit of one subject. */
public interface EveryAlgorithmContract extends StoreUnderTest {

    @BeforeEach
    default void startAtNoon() {
        setClock(at("12:00:00"));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void refusesTheRequestAfterTheLast(Algorithm algorithm) {
        for (long remaining = 4; remaining >= 0; remaining--) {
            Decision allowed = limiter().acquire(Acquisition.of(fivePerMinute(algorithm), "alice"));

            assertThat(allowed.allowed()).isTrue();
            assertThat(allowed.remaining()).isEqualTo(remaining);
            assertThat(allowed.retryAfter()).isZero();
            assertThat(allowed.limits().get(0).resetAfter()).isPositive();
        }
        Decision refused = limiter().acquire(Acquisition.of(fivePerMinute(algorithm), "alice"));

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.remaining()).isZero();
        assertThat(refused.retryAfter()).isPositive();
        assertThat(refused.source()).isEqualTo(Decision.Source.STORE);
        assertThat(Micros.of(refused.decidedAt())).isEqualTo(at("12:00:00"));
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {".*UNIQUE_COUNT", "CONCURRENCY"})
    default void admitsTheSameCallAtItsRetryAfterAndNotOneMicrosecondEarlier(Algorithm algorithm) {
        Acquisition three = Acquisition.of(fivePerMinute(algorithm), "alice", 3);
        limiter().acquire(three);
        long retryAfter = Micros.of(limiter().acquire(three).retryAfter());

        Decision early = acquireAt(at("12:00:00") + retryAfter - 1, three);
        assertThat(early.allowed()).isFalse();
        assertThat(early.retryAfter()).isEqualTo(Duration.ofNanos(1_000));
        assertThat(acquireAt(at("12:00:00") + retryAfter, three).allowed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void freesAllOfTheQuotaAtResetAfter(Algorithm algorithm) {
        Acquisition three = Acquisition.of(fivePerMinute(algorithm), "alice", 3);
        Duration resetAfter = limiter().acquire(three).limits().get(0).resetAfter();

        setClock(at("12:00:00") + Micros.of(resetAfter) - 1);
        assertThat(remaining(fivePerMinute(algorithm), "alice")).isLessThan(5);
        setClock(at("12:00:00") + Micros.of(resetAfter));
        assertThat(remaining(fivePerMinute(algorithm), "alice")).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void countsWhatACallCosts(Algorithm algorithm) {
        assertThat(admits(fivePerMinute(algorithm), "alice", 4)).isTrue();
        assertThat(admits(fivePerMinute(algorithm), "alice", 2)).isFalse();
        assertThat(admits(fivePerMinute(algorithm), "alice", 1)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void countsEverySubjectForItself(Algorithm algorithm) {
        assertThat(admitted(6, fivePerMinute(algorithm), "alice")).isEqualTo(5);
        assertThat(admitted(6, fivePerMinute(algorithm), "bob")).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void peekingChargesNothing(Algorithm algorithm) {
        Acquisition one = Acquisition.of(fivePerMinute(algorithm), "alice");
        for (int i = 0; i < 10; i++) {
            assertThat(limiter().peek(one).allowed()).isTrue();
        }
        assertThat(admitted(6, fivePerMinute(algorithm), "alice")).isEqualTo(5);

        Decision refused = limiter().acquire(one);
        assertThat(limiter().peek(one)).isEqualTo(refused);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void aClockThatGoesBackAdmitsNothingMore(Algorithm algorithm) {
        assertThat(admitted(5, fivePerMinute(algorithm), "alice")).isEqualTo(5);

        setClock(at("12:00:00") - 1);
        assertThat(admitted(1, fivePerMinute(algorithm), "alice")).isZero();
        setClock(at("12:00:00") - HOUR);
        assertThat(admitted(1, fivePerMinute(algorithm), "alice")).isZero();
        setClock(at("12:00:00") - DAY);
        assertThat(admitted(1, fivePerMinute(algorithm), "alice")).isZero();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void aChangedLimitHoldsAtOnce(Algorithm algorithm) {
        assertThat(admits(fivePerMinute(algorithm), "alice", 4)).isTrue();

        Limit lowered = Limit.of("five", algorithm, 2, Duration.ofMinutes(1));
        assertThat(admits(lowered, "alice", 1)).isFalse();
        assertThat(remaining(lowered, "alice")).isZero();
        Limit raised = Limit.of("five", algorithm, 1_000, Duration.ofDays(366));
        assertThat(admits(raised, "alice", 900)).isTrue();
        Limit shortened = Limit.of("five", algorithm, 5, Duration.ofMillis(1));
        setClock(at("12:00:00") + DAY * 366 * 2);
        assertThat(admitted(6, shortened, "alice")).isEqualTo(5);
    }

    @Test
    default void aCostAboveTheCapacityIsAnErrorThatNamesLimitAndCost() {
        Limit burst = Limit.of("burst", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1))
                .withBurst(20);

        assertThat(admits(burst, "alice", 20)).isTrue();
        assertThatThrownBy(() -> Acquisition.of(burst, "alice", 21))
                .isInstanceOf(CostExceedsCapacityException.class)
                .hasMessageContaining("'burst'")
                .hasMessageContaining("'21'")
                .hasMessageContaining("20");
    }
}
