package io.ratelimit;

import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Caps of what is left to a subject until a time. */
public interface CapContract extends StoreUnderTest {

    Duration TEN_SECONDS = Duration.ofSeconds(10);

    private Duration waitOf(Acquisition acquisition) {
        return limiter().peek(acquisition).retryAfter();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"UNIQUE_COUNT", "APPROXIMATE_UNIQUE_COUNT"})
    default void aCapAdmitsSoMuchMoreUntilItEnds(Algorithm algorithm) {
        Limit limit = Limit.of("partner", algorithm, 1_000, Duration.ofHours(1));
        Acquisition one = Acquisition.of(limit, "global");
        setClock(at("12:00:00"));
        limiter().acquire(Acquisition.of(limit, "global", 100));

        limiter().cap(limit, "global", 3, TEN_SECONDS);

        assertThat(limiter().peek(one).remaining()).isEqualTo(3);
        assertThat(limiter().acquire(one).remaining()).isEqualTo(2);
        Decision tooMuch = limiter().acquire(Acquisition.of(limit, "global", 3));
        assertThat(tooMuch.retryAfter()).isEqualTo(TEN_SECONDS);
        assertThat(tooMuch.limits().get(0).blocked()).isTrue();
        assertThat(tooMuch.remaining()).isEqualTo(2);
        assertThat(limiter().acquireUpTo(one, 9).taken()).isEqualTo(2);
        assertThat(limiter().acquire(one).retryAfter()).isEqualTo(TEN_SECONDS);
        setClock(at("12:00:10"));
        assertThat(remaining(limit, "global")).isGreaterThanOrEqualTo(897);
    }

    @Test
    default void ofSeveralCapsTheLowestHoldsAndABlockBeforeAll() {
        Limit limit = Limit.of("partner", Algorithm.FIXED_WINDOW, 1_000, Duration.ofHours(1));
        Acquisition one = Acquisition.of(limit, "global");
        setClock(at("12:00:00"));
        limiter().cap(limit, "global", 7, TEN_SECONDS);
        limiter().cap(limit, "global", 8, Duration.ofMinutes(1));
        assertThat(remaining(limit, "global")).isEqualTo(7);

        limiter().cap(limit, "global", 5, Duration.ofSeconds(20));
        assertThat(remaining(limit, "global")).isEqualTo(5);
        limiter().cap(limit, "global", 5, Duration.ofSeconds(30));
        assertThat(waitOf(Acquisition.of(limit, "global", 6))).isEqualTo(Duration.ofSeconds(30));

        limiter().block(limit, "global", Duration.ofSeconds(1));
        limiter().cap(limit, "global", 2, Duration.ofMinutes(1));
        assertThat(waitOf(one)).isEqualTo(Duration.ofSeconds(1));
        limiter().cap(limit, "global", 0, Duration.ZERO);
        setClock(at("12:00:01"));
        assertThat(remaining(limit, "global")).isEqualTo(1_000);
    }

    /** A cap never raises, and ends a window of the limit no sooner. */
    @Test
    default void theLimitItselfMayRefuse() {
        Limit hourly = Limit.of("hourly", Algorithm.SLIDING_WINDOW_LOG, 2, Duration.ofHours(1));
        Acquisition one = Acquisition.of(hourly, "global");
        setClock(at("12:00:00"));
        limiter().cap(hourly, "global", 500, Duration.ofMinutes(1));
        assertThat(admits(hourly, "global", 2)).isTrue();

        Decision refused = limiter().acquire(one);

        assertThat(refused.retryAfter()).isEqualTo(Duration.ofHours(1));
        assertThat(refused.limits().get(0).blocked()).isFalse();
    }

    /** A partner may say any number. */
    @ParameterizedTest
    @ValueSource(longs = {1L << 53, 1L << 56, 999_999_999_999_999_999L, Long.MAX_VALUE})
    default void aCapAboveAllLimitsLowersNothing(long left) {
        Limit limit = Limit.of("partner", Algorithm.FIXED_WINDOW, 2, Duration.ofHours(1));
        setClock(at("12:00:00"));

        limiter().cap(limit, "global", left, TEN_SECONDS);

        assertThat(remaining(limit, "global")).isEqualTo(2);
        assertThat(admits(limit, "global", 2)).isTrue();
        assertThat(admits(limit, "global", 1)).isFalse();
        limiter().cap(limit, "global", 0, TEN_SECONDS);
        limiter().reset(limit, "global");
        assertThat(remaining(limit, "global")).isEqualTo(2);
    }

    @Test
    default void whatCostMoreLowersACapAndWhatIsGivenBackDoesNotRaiseIt() {
        Limit limit = Limit.of("partner", Algorithm.FIXED_WINDOW, 1_000, Duration.ofHours(1));
        Acquisition ten = Acquisition.of(limit, "global", 10);
        setClock(at("12:00:00"));
        limiter().cap(limit, "global", 50, TEN_SECONDS);
        Decision more = limiter().acquire(ten);
        limiter().settle(ten, more, 15);
        assertThat(remaining(limit, "global")).isEqualTo(35);

        Decision less = limiter().acquire(ten);
        limiter().refund(ten, less);

        assertThat(remaining(limit, "global")).isEqualTo(25);
        setClock(at("12:00:10"));
        assertThat(remaining(limit, "global")).isEqualTo(985);
    }

    /** The bucket has refilled what the first call cost, so nothing of it is missing any more. */
    @Test
    default void aLateRefundDuringACapGivesNoMoreThanWithoutIt() {
        Limit limit = Limit.of("partner", Algorithm.TOKEN_BUCKET, 10, TEN_SECONDS);
        Acquisition one = Acquisition.of(limit, "global");
        setClock(at("12:00:00"));
        limiter().cap(limit, "global", 100, Duration.ofMinutes(1));
        Decision first = limiter().acquire(one);
        setClock(at("12:00:01"));
        assertThat(admits(limit, "global", 10)).isTrue();

        limiter().refund(one, first);

        assertThat(remaining(limit, "global")).isZero();
    }

    @Test
    default void aCapOfOneLimitHoldsBackTheWholeAcquisition() {
        Limit limit = Limit.of("partner", Algorithm.TOKEN_BUCKET, 100, Duration.ofHours(1));
        Limit other = Limit.of("other", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1));
        Acquisition both = Acquisition.of(other, "acme").and(limit, "global");
        setClock(at("12:00:00"));
        limiter().cap(limit, "global", 1, TEN_SECONDS);
        assertThat(limiter().acquire(both).allowed()).isTrue();

        assertThat(limiter().acquire(both).refusing())
                .extracting(LimitStatus::limit)
                .containsExactly(limit);

        assertThat(remaining(other, "acme")).isEqualTo(4);
    }

    /** The second charge of the same subject does not fit: it is the one that the cap refuses. */
    @Test
    default void chargesOfOneSubjectCountTogether() {
        Limit limit = Limit.of("partner", Algorithm.FIXED_WINDOW, 100, Duration.ofHours(1));
        Limit ofAPlan = Limit.of("partner", Algorithm.FIXED_WINDOW, 200, Duration.ofHours(1));
        setClock(at("12:00:00"));
        limiter().cap(limit, "global", 5, TEN_SECONDS);

        Decision refused = limiter().acquire(Acquisition.of(limit, "global", 3).and(ofAPlan, "global", 3));

        assertThat(refused.limits()).extracting(LimitStatus::blocked).containsExactly(false, true);
        assertThat(refused.retryAfter()).isEqualTo(TEN_SECONDS);
        assertThat(remaining(limit, "global")).isEqualTo(5);
    }

    @Test
    default void whatCannotBeACapIsSaid() {
        Limit devices = Limit.of("devices", Algorithm.UNIQUE_COUNT, 5, Duration.ofHours(1));
        Limit limit = StoreUnderTest.fivePerMinute(Algorithm.FIXED_WINDOW);

        assertThatThrownBy(() -> limiter().cap(devices, "alice", 1, TEN_SECONDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit 'devices' cannot be capped at '1': pass 0 or more, and 0 where it counts elements");
        assertThatThrownBy(() -> limiter().cap(limit, "alice", -1, TEN_SECONDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit 'five' cannot be capped at '-1': pass 0 or more, and 0 where it counts elements");
    }
}
