package io.ratelimit;

import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.internal.Micros;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One limit name with different numbers: plans, a deployment under way, two applications of one prefix. */
public interface MixedNumbersContract extends StoreUnderTest {

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void eachSubjectOfADecisionIsDecidedByItsOwnNumbers(Algorithm algorithm) {
        setClock(at("12:00:00"));
        // in a day a bucket keeps five of its tokens for minutes, and not for a moment of real time, after which Redis
        // forgets it
        Limit thousand = Limit.of("api", algorithm, 1_000, Duration.ofDays(1));
        Acquisition both = Acquisition.of(thousand, "tenant").and(api(algorithm, 5), "bob");

        int admitted = 0;
        for (int i = 0; i < 100; i++) {
            admitted += limiter().acquire(both).allowed() ? 1 : 0;
        }

        assertThat(admitted).isEqualTo(5);
        assertThat(remaining(thousand, "tenant")).isEqualTo(995);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void chargesOfOneSubjectAreDecidedInTheirOrder(Algorithm algorithm) {
        setClock(at("12:00:00"));
        Acquisition plan = Acquisition.of(api(algorithm, 10), "bob", 2).and(api(algorithm, 5), "bob", 1);

        assertThat(limiter().acquire(plan).allowed()).isTrue();
        Decision second = limiter().acquire(plan);

        assertThat(second.limits()).hasSize(2);
        assertThat(second.allowed()).isFalse();
        assertThat(second.refusing()).extracting(LimitStatus::limit).containsExactly(api(algorithm, 5));
        assertThat(remaining(api(algorithm, 10), "bob")).isEqualTo(7);
        Decision third = limiter().acquire(plan);
        if (algorithm.isReleased()) {
            assertThat(third.retryAfter()).isEqualTo(Duration.ofSeconds(1)); // a call may end at any moment
            return;
        }
        long retryAfter = Micros.of(third.retryAfter());
        assertThat(acquireAt(at("12:00:00") + retryAfter - 1, plan).allowed()).isFalse();
        assertThat(acquireAt(at("12:00:00") + retryAfter, plan).allowed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void chargesOfOneSubjectThatNeverFitTogetherAreAnError(Algorithm algorithm) {
        Acquisition most = Acquisition.of(api(algorithm, 10), "bob", 5);

        assertThatThrownBy(() -> most.and(api(algorithm, 5), "bob", 5))
                .isInstanceOf(CostExceedsCapacityException.class)
                .hasMessageContaining("'10'")
                .hasMessageContaining("'api'");
        assertThat(most.and(api(algorithm, 5), "carol", 5).charges()).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void eachWindowCountsForItself(Algorithm algorithm) {
        setClock(at("12:00:00"));
        Limit slow = Limit.of("api", algorithm, 10, Duration.ofMinutes(1));
        Limit fast = Limit.of("api", algorithm, 10, Duration.ofSeconds(5));

        int slowAdmitted = 0;
        int fastAdmitted = 0;
        for (int second = 0; second < 60; second++) {
            setClock(at("12:00:00") + second * SECOND);
            for (int i = 0; i < 4; i++) {
                slowAdmitted += admits(slow, "eve", 1) ? 1 : 0;
                fastAdmitted += admits(fast, "eve", 1) ? 1 : 0;
            }
        }

        assertThat(slowAdmitted).isBetween(10, algorithm == Algorithm.TOKEN_BUCKET ? 20 : 10);
        assertThat(fastAdmitted).isBetween(60, 130);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void aRaisedLimitIsNotLockedByTheOldNumbers(Algorithm algorithm) {
        setClock(at("12:00:00"));
        assertThat(admitted(6, api(algorithm, 5), "bob")).isEqualTo(5);
        Limit raised = api(algorithm, 1_000);

        Duration retryAfter =
                limiter().peek(Acquisition.of(raised, "bob")).limits().get(0).retryAfter();

        assertThat(retryAfter).isLessThanOrEqualTo(Duration.ofMillis(60));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void whatIsUsedStaysSoManyRequestsWhenALimitIsRaised(Algorithm algorithm) {
        setClock(at("12:00:00"));
        assertThat(admits(daily(algorithm, 100), "used up", 100)).isTrue();
        assertThat(admits(daily(algorithm, 100), "half used", 50)).isTrue();

        assertThat(remaining(daily(algorithm, 10_000), "used up")).isEqualTo(9_900);
        assertThat(remaining(daily(algorithm, 10_000), "half used")).isEqualTo(9_950);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void nothingIsLeftOfALoweredLimitThatIsExceededAlready(Algorithm algorithm) {
        setClock(at("12:00:00"));
        assertThat(admits(daily(algorithm, 10_000), "bob", 5_000)).isTrue();

        Decision refused = limiter().acquire(Acquisition.of(daily(algorithm, 100), "bob"));

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.remaining()).isZero();
        assertThat(refused.retryAfter()).isLessThanOrEqualTo(Duration.ofDays(2));
    }

    @Test
    default void aBucketThatIsLoweredRefillsAtTheNewRate() {
        setClock(at("12:00:00"));
        assertThat(admits(daily(Algorithm.TOKEN_BUCKET, 10_000), "bob", 5_000)).isTrue();
        Limit lowered = daily(Algorithm.TOKEN_BUCKET, 100);
        Acquisition one = Acquisition.of(lowered, "bob");
        long aToken = DAY / 100;

        assertThat(Micros.of(limiter().acquire(one).retryAfter())).isEqualTo(aToken);
        assertThat(acquireAt(at("12:00:00") + aToken - 1, one).allowed()).isFalse();
        Decision first = acquireAt(at("12:00:00") + aToken, one);

        assertThat(first.allowed()).isTrue();
        assertThat(first.remaining()).isZero();
        assertThat(first.limits().get(0).resetAfter()).isEqualTo(Duration.ofDays(1));
    }

    private static Limit daily(Algorithm algorithm, long maxRequests) {
        return Limit.of("daily", algorithm, maxRequests, Duration.ofDays(1));
    }

    /** So many a minute. */
    private static Limit api(Algorithm algorithm, long maxRequests) {
        return Limit.of("api", algorithm, maxRequests, Duration.ofMinutes(1));
    }
}
