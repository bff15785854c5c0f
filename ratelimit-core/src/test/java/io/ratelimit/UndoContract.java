package io.ratelimit;

import static io.ratelimit.StoreUnderTest.fivePerMinute;
import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Giving back what a decision charged, and forgetting a subject. */
public interface UndoContract extends StoreUnderTest {

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void whatIsRefundedAtOnceIsThereAgain(Algorithm algorithm) {
        Acquisition three = Acquisition.of(fivePerMinute(algorithm), "alice", 3);
        Decision first = acquireAt(at("12:00:00"), three);
        assertThat(limiter().acquire(three).allowed()).isFalse();

        limiter().refund(three, first);

        assertThat(remaining(fivePerMinute(algorithm), "alice")).isEqualTo(5);
        assertThat(admitted(6, fivePerMinute(algorithm), "alice")).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void aRefundGivesBackToAllLimitsOfTheAcquisition(Algorithm algorithm) {
        Acquisition both =
                Acquisition.of(fivePerMinute(algorithm), "alice", 3).and(fivePerMinute(algorithm), "acme", 2);
        Decision first = acquireAt(at("12:00:00"), both);

        limiter().refund(both, first);

        assertThat(remaining(fivePerMinute(algorithm), "alice")).isEqualTo(5);
        assertThat(remaining(fivePerMinute(algorithm), "acme")).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void aRefusedDecisionHasNothingToGiveBack(Algorithm algorithm) {
        Acquisition three = Acquisition.of(fivePerMinute(algorithm), "alice", 3);
        acquireAt(at("12:00:00"), three);
        Decision refused = limiter().acquire(three);

        limiter().refund(three, refused);

        assertThat(remaining(fivePerMinute(algorithm), "alice")).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void aDecisionThatNobodyMadeHasNothingToGiveBack(Algorithm algorithm) {
        Acquisition three = Acquisition.of(fivePerMinute(algorithm), "alice", 3);
        acquireAt(at("12:00:00"), three);

        limiter().refund(three, Decision.unanswered());

        assertThat(remaining(fivePerMinute(algorithm), "alice")).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void aRefundOfWhatNoLongerCountsGivesNothing(Algorithm algorithm) {
        Acquisition three = Acquisition.of(fivePerMinute(algorithm), "alice", 3);
        Decision yesterday = acquireAt(at("12:00:00") - DAY, three);
        acquireAt(at("12:00:00"), three);

        limiter().refund(three, yesterday);

        assertThat(remaining(fivePerMinute(algorithm), "alice")).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void aResetSubjectStartsAnewAndNobodyElseDoes(Algorithm algorithm) {
        setClock(at("12:00:00"));
        admits(fivePerMinute(algorithm), "alice", 5);
        admits(fivePerMinute(algorithm), "bob", 5);

        limiter().reset(fivePerMinute(algorithm), "alice");
        limiter().reset(fivePerMinute(algorithm), "nobody");

        assertThat(admitted(6, fivePerMinute(algorithm), "alice")).isEqualTo(5);
        assertThat(admits(fivePerMinute(algorithm), "bob", 1)).isFalse();
    }

    /** In Redis, such a log is rewritten with less room. */
    @Test
    default void aLogThatGivesBackNearlyAllOfItsEntriesKeepsTheOthers() {
        Limit hundred = Limit.of("hundred", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofMinutes(1));
        for (int i = 0; i < 20; i++) {
            acquireAt(at("12:00:00") + i * SECOND, Acquisition.of(hundred, "alice"));
        }
        Acquisition large = Acquisition.of(hundred, "alice", 17);
        Decision taken = acquireAt(at("12:00:20"), large);

        limiter().refund(large, taken);

        assertThat(remaining(hundred, "alice")).isEqualTo(80);
        setClock(at("12:01:19"));
        assertThat(remaining(hundred, "alice")).isEqualTo(83);
        setClock(at("12:01:20"));
        assertThat(remaining(hundred, "alice")).isEqualTo(100);
    }

    @Test
    default void nobodyIsForgottenOrBannedWhoWasNotNamed() {
        Limit five = fivePerMinute(Algorithm.FIXED_WINDOW);
        Limit banning = five.withBan(1, Duration.ofMinutes(1), Duration.ofMinutes(1));
        List<ThrowingCallable> calls = List.of(
                () -> limiter().reset(five, ""),
                () -> limiter().resetAsync(five, ""),
                () -> limiter().ban(banning, ""),
                () -> limiter().unban(banning, ""));

        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("limit 'five' was given the subject '': pass"));
    }
}
