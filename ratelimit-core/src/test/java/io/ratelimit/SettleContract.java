package io.ratelimit;

import static io.ratelimit.StoreUnderTest.fivePerMinute;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.internal.Micros;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Correcting what a decision charged to what the call actually cost. */
public interface SettleContract extends StoreUnderTest {

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    default void whatWasChargedAboveTheActualCostIsGivenBack(Algorithm algorithm) {
        Acquisition five = Acquisition.of(fivePerMinute(algorithm), "alice", 5);
        Decision decision = acquireAt(at("12:00:00"), five);

        limiter().settle(five, decision, 2);

        assertThat(remaining(fivePerMinute(algorithm), "alice")).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    default void whatTheCallCostMoreIsCharged(Algorithm algorithm) {
        Acquisition one = Acquisition.of(fivePerMinute(algorithm), "alice");
        Decision decision = acquireAt(at("12:00:00"), one);

        limiter().settle(one, decision, 4);

        assertThat(remaining(fivePerMinute(algorithm), "alice")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    default void aDebtLeavesNothingUntilItsRetryAfterAndNotOneMicrosecondLess(Algorithm algorithm) {
        Acquisition three = Acquisition.of(fivePerMinute(algorithm), "alice", 3);
        Decision decision = acquireAt(at("12:00:20"), three);
        long now = at("12:00:30");
        setClock(now);

        limiter().settle(three, decision, 9);

        Decision refused = limiter().acquire(Acquisition.of(fivePerMinute(algorithm), "alice"));
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.remaining()).isZero();
        setClock(now + Micros.of(refused.retryAfter()) - 1);
        assertThat(admits(fivePerMinute(algorithm), "alice", 1)).isFalse();
        setClock(now + Micros.of(refused.retryAfter()));
        assertThat(admits(fivePerMinute(algorithm), "alice", 1)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    default void noDebtDelaysACallForLongerThanItCounts(Algorithm algorithm) {
        Acquisition one = Acquisition.of(fivePerMinute(algorithm), "alice");
        Decision decision = acquireAt(at("12:00:30"), one);

        limiter().settle(one, decision, Long.MAX_VALUE);

        long window = MINUTE;
        assertThat(Micros.of(limiter().acquire(one).retryAfter()))
                .isEqualTo(
                        switch (algorithm) {
                            case FIXED_WINDOW -> window / 2;
                            case SLIDING_WINDOW_LOG -> window;
                            case SLIDING_WINDOW_COUNTER -> window / 2 + window;
                            case TOKEN_BUCKET -> window + window / 5;
                            case CONCURRENCY, UNIQUE_COUNT, APPROXIMATE_UNIQUE_COUNT -> 0;
                        });
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    default void eachChargeHasItsOwnActualCost(Algorithm algorithm) {
        Acquisition both =
                Acquisition.of(fivePerMinute(algorithm), "alice", 3).and(fivePerMinute(algorithm), "acme", 2);
        Decision decision = acquireAt(at("12:00:00"), both);

        limiter().settle(both, decision, 1, 4);

        assertThat(remaining(fivePerMinute(algorithm), "alice")).isEqualTo(4);
        assertThat(remaining(fivePerMinute(algorithm), "acme")).isEqualTo(1);
    }

    /** Found on a random schedule: one twin gave nothing back where only the charge before it had been corrected. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    default void chargesOfOneSubjectAreSettledInTheirOrder(Algorithm algorithm) {
        Limit five = fivePerMinute(algorithm);
        Limit four = Limit.of(five.name(), algorithm, 4, five.windowSize());
        Acquisition both = Acquisition.of(five, "alice", 1).and(four, "alice", 2);
        Decision decision = acquireAt(at("12:00:00"), both);
        limiter().reset(five, "alice");

        limiter().settle(both, decision, 4, 1);

        assertThat(remaining(five, "alice")).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    default void aDecisionIsSettledOnce(Algorithm algorithm) {
        Acquisition two = Acquisition.of(fivePerMinute(algorithm), "alice", 2);
        Decision first = acquireAt(at("12:00:00"), two);
        limiter().acquire(two);

        limiter().settle(two, first, 1);
        limiter().settle(two, first, 5);
        limiter().refund(two, first);

        assertThat(remaining(fivePerMinute(algorithm), "alice")).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void whatChargedNothingIsNotSettled(Algorithm algorithm) {
        Acquisition three = Acquisition.of(fivePerMinute(algorithm), "alice", 3);
        acquireAt(at("12:00:00"), three);
        Decision refused = limiter().acquire(three);
        Acquisition other = Acquisition.of(Limit.of("other", algorithm, 5, Duration.ofMinutes(1)), "alice");
        Decision ofOther = limiter().acquire(other);
        Acquisition both = three.and(fivePerMinute(algorithm), "bob");

        limiter().settle(three, refused, 9);
        limiter().settle(three, Decision.unanswered(), 9);
        limiter().settle(three, ofOther, 9);
        limiter().settle(both, ofOther, 9, 9);
        Acquisition one = Acquisition.of(fivePerMinute(algorithm), "alice");
        limiter().settle(one, limiter().peek(one), 0);
        limiter()
                .settleAsync(one, limiter().peekAsync(one).toCompletableFuture().join(), 9);

        assertThat(remaining(fivePerMinute(algorithm), "alice")).isEqualTo(2);
        assertThat(remaining(fivePerMinute(algorithm), "bob")).isEqualTo(5);
    }

    @Test
    default void anActualCostIsGivenForAllChargesOrForEachAndIsNotNegative() {
        Acquisition one = Acquisition.of(fivePerMinute(Algorithm.FIXED_WINDOW), "alice");
        Decision decision = acquireAt(at("12:00:00"), one);

        assertThatThrownBy(() -> limiter().settle(one, decision, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("actual cost '-1' for limit 'five' must be at least 0");
        assertThatThrownBy(() -> limiter().settle(one, decision, 1, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'2' actual costs for 1 charges");
        assertThat(remaining(fivePerMinute(Algorithm.FIXED_WINDOW), "alice")).isEqualTo(4);
    }

    /** Five calls at a time, of which none knows its cost before. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    default void aHundredTokensAMinuteAreExceededByWhatTheFiveInFlightUnderestimatedAndNoMore(Algorithm algorithm) {
        Limit tokens = Limit.of("tokens", algorithm, 100, Duration.ofMinutes(1));
        Acquisition estimate = Acquisition.of(tokens, "alice", 20);
        setClock(at("12:00:00"));
        long spent = 0;
        for (int wave = 0; wave < 10; wave++) {
            Decision[] five = new Decision[5];
            for (int i = 0; i < 5; i++) {
                five[i] = limiter().acquire(estimate);
            }
            for (Decision decision : five) {
                limiter().settle(estimate, decision, 33);
                spent += decision.allowed() ? 33 : 0;
            }
        }

        assertThat(spent).isEqualTo(100 + 5 * (33 - 20));
    }

    /** Found on a random schedule: one twin forgot both calls at 12:01:00, the other still knew them at 12:00:30. */
    @Test
    default void aRefundToALogOfWhichAllHasLeftChangesNothing() {
        Limit five = fivePerMinute(Algorithm.SLIDING_WINDOW_LOG);
        Acquisition one = Acquisition.of(five, "alice");
        Decision first = acquireAt(at("12:10:00"), one);
        acquireAt(at("12:00:00"), one); // the clock has stepped back
        setClock(at("12:01:00"));

        limiter().refund(one, first);

        setClock(at("12:00:30"));
        assertThat(remaining(five, "alice")).isEqualTo(3);
    }
}
