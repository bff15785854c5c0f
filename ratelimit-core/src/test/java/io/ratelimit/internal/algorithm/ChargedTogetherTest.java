package io.ratelimit.internal.algorithm;

import static io.ratelimit.internal.algorithm.Subject.quota;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two costs of one call on one subject: the second is decided as if the first were taken. */
class ChargedTogetherTest {

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void theSecondCostFitsUpToWhatTheFirstLeaves(Algorithm algorithm) {
        Subject subject = new Subject(Tally.of(algorithm, quota(10, MINUTE).window()), quota(10, MINUTE));
        subject.admits(5, at("12:00:00"));

        assertThat(subject.retryAfterTogetherWith(2, 3, at("12:00:00"))).isZero();
        assertThat(subject.retryAfterTogetherWith(3, 3, at("12:00:00"))).isPositive();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void bothWaitAsLongAsOneCallOfTheirSum(Algorithm algorithm) {
        Subject subject = new Subject(Tally.of(algorithm, quota(10, MINUTE).window()), quota(10, MINUTE));
        subject.admits(5, at("12:00:00"));
        subject.admits(5, at("12:00:20"));

        assertThat(subject.retryAfterTogetherWith(3, 4, at("12:00:30")))
                .isEqualTo(subject.retryAfter(7, at("12:00:30")));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void aSubjectIsKeptUntilItsQuotaIsFree(Algorithm algorithm) {
        Subject subject = new Subject(Tally.of(algorithm, quota(10, MINUTE).window()), quota(10, MINUTE));
        subject.admits(5, at("12:00:00"));

        assertThat(subject.lasts(at("12:00:10")))
                .isEqualTo(subject.resetAfter(at("12:00:10")))
                .isPositive();
    }
}
