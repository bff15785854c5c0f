package io.ratelimit;

import static io.ratelimit.testing.TestTime.HOUR;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.internal.Micros;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Blocks of subjects until a time, whatever their limit has left. */
public interface BlockContract extends StoreUnderTest {

    Duration HALF_A_MINUTE = Duration.ofSeconds(30);

    private static Acquisition one(Limit limit, String subject) {
        return limit.algorithm().countsElements()
                ? Acquisition.of(limit, subject, "phone")
                : Acquisition.of(limit, subject);
    }

    private Duration waitOf(Limit limit, String subject) {
        return limiter().peek(one(limit, subject)).retryAfter();
    }

    @ParameterizedTest
    @EnumSource
    default void aBlockRefusesUntilItEndsAndNotOneMicrosecondLess(Algorithm algorithm) {
        Limit limit = StoreUnderTest.fivePerMinute(algorithm);
        long now = at("12:00:30");
        Acquisition one = one(limit, "alice");
        assertThat(acquireAt(now, one).allowed()).isTrue();

        limiter().block(limit, "alice", HALF_A_MINUTE);

        Decision refused = limiter().acquire(one);
        LimitStatus status = refused.limits().get(0);
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.retryAfter()).isEqualTo(HALF_A_MINUTE);
        assertThat(refused.remaining()).isZero();
        assertThat(status.blocked()).isTrue();
        assertThat(status.banned()).isFalse();
        assertThat(status.resetAfter()).isGreaterThanOrEqualTo(HALF_A_MINUTE);
        assertThat(limiter().peek(one)).isEqualTo(refused);
        assertThat(acquireAt(now + 30 * SECOND - 1, one).retryAfter()).isEqualTo(Micros.toDuration(1));
        Decision admitted = acquireAt(now + 30 * SECOND, one);
        assertThat(admitted.allowed()).isTrue();
        assertThat(admitted.limits().get(0).blocked()).isFalse();
        assertThat(acquireAt(now + 30 * SECOND, one).allowed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"UNIQUE_COUNT", "APPROXIMATE_UNIQUE_COUNT", "CONCURRENCY"})
    default void whatWasCountedStays(Algorithm algorithm) {
        Limit hourly = Limit.of("hourly", algorithm, 5, Duration.ofHours(1));
        setClock(at("12:00:00"));
        assertThat(admits(hourly, "alice", 3)).isTrue();

        limiter().block(hourly, "alice", Duration.ofSeconds(5));

        setClock(at("12:00:05"));
        assertThat(remaining(hourly, "alice")).isEqualTo(2);
        assertThat(admitted(4, hourly, "alice")).isEqualTo(2);
    }

    @Test
    default void theLimitItselfMayRefuseForLonger() {
        Limit hourly = Limit.of("hourly", Algorithm.SLIDING_WINDOW_LOG, 1, Duration.ofHours(1));
        setClock(at("12:00:00"));
        admits(hourly, "alice", 1);

        limiter().block(hourly, "alice", HALF_A_MINUTE);

        assertThat(waitOf(hourly, "alice")).isEqualTo(Duration.ofHours(1));
        setClock(at("12:30:00"));
        assertThat(waitOf(hourly, "alice")).isEqualTo(Duration.ofMinutes(30));
    }

    @ParameterizedTest
    @EnumSource
    default void ofSeveralBlocksTheOneHoldsThatEndsLast(Algorithm algorithm) {
        Limit limit = StoreUnderTest.fivePerMinute(algorithm);
        setClock(at("12:00:00"));
        limiter().block(limit, "alice", HALF_A_MINUTE);
        limiter().block(limit, "alice", Duration.ofSeconds(10));
        assertThat(waitOf(limit, "alice")).isEqualTo(HALF_A_MINUTE);

        setClock(at("12:00:20"));
        limiter().block(limit, "alice", Duration.ofSeconds(20));
        assertThat(waitOf(limit, "alice")).isEqualTo(Duration.ofSeconds(20));
    }

    @ParameterizedTest
    @EnumSource
    default void aBlockOutlivesTheWindowsOfItsLimit(Algorithm algorithm) {
        Limit brief = Limit.of("brief", algorithm, 5, Duration.ofMillis(100));
        long now = at("12:00:00");
        acquireAt(now, one(brief, "alice"));
        limiter().block(brief, "alice", Duration.ofHours(1));

        for (long later = now + MINUTE; later < now + HOUR; later += 7 * MINUTE) {
            assertThat(acquireAt(later, one(brief, "alice")).retryAfter())
                    .isEqualTo(Micros.toDuration(now + HOUR - later));
            assertThat(acquireAt(later, one(brief, "bob")).allowed()).isTrue();
        }
        assertThat(acquireAt(now + HOUR, one(brief, "alice")).allowed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    default void aResetLiftsABlock(Algorithm algorithm) {
        Limit limit = StoreUnderTest.fivePerMinute(algorithm);
        setClock(at("12:00:00"));
        limiter().acquire(one(limit, "alice"));
        limiter().block(limit, "alice", HALF_A_MINUTE);

        limiter().reset(limit, "alice");

        assertThat(limiter().acquire(one(limit, "alice")).remaining()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource
    default void aBlockRefusesTheWholeAcquisitionAndNobodyElse(Algorithm algorithm) {
        Limit limit = StoreUnderTest.fivePerMinute(algorithm);
        Limit other = Limit.of("other", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1));
        setClock(at("12:00:00"));
        limiter().block(limit, "alice", HALF_A_MINUTE);
        Acquisition acme = Acquisition.of(other, "acme");
        Acquisition both =
                limit.algorithm().countsElements() ? acme.and(limit, "alice", "phone") : acme.and(limit, "alice");

        Decision refused = limiter().acquire(both);

        assertThat(refused.refusing()).extracting(LimitStatus::limit).containsExactly(limit);
        assertThat(refused.limits()).extracting(LimitStatus::remaining).containsExactly(5L, 0L);
        assertThat(remaining(other, "acme")).isEqualTo(5);
        assertThat(limiter().acquire(one(limit, "bob")).allowed()).isTrue();
    }

    @Test
    default void nothingIsLeftToTakeWhileBlocked() {
        Limit limit = StoreUnderTest.fivePerMinute(Algorithm.TOKEN_BUCKET);
        setClock(at("12:00:00"));
        limiter().block(limit, "alice", HALF_A_MINUTE);

        Decision refused = limiter().acquireUpTo(Acquisition.of(limit, "alice"), 3);

        assertThat(refused.taken()).isZero();
        assertThat(refused.retryAfter()).isEqualTo(HALF_A_MINUTE);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void callsInFlightAreSettledWhileBlocked(Algorithm algorithm) {
        Limit hourly = Limit.of("hourly", algorithm, 5, Duration.ofHours(1));
        setClock(at("12:00:00"));
        Acquisition three = Acquisition.of(hourly, "alice", 3);
        Acquisition two = Acquisition.of(hourly, "alice", 2);
        Decision first = limiter().acquire(three);
        Decision second = limiter().acquire(two);
        limiter().block(hourly, "alice", Duration.ofSeconds(1));

        limiter().refund(three, first);

        assertThat(remaining(hourly, "alice")).isZero();
        setClock(at("12:00:01"));
        assertThat(remaining(hourly, "alice")).isEqualTo(3);
        limiter().block(hourly, "alice", Duration.ofSeconds(1));
        limiter().refund(two, second);
        setClock(at("12:00:02"));
        assertThat(remaining(hourly, "alice")).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource
    default void aBlockLastsForItsLengthFromAStepBackOfTheClock(Algorithm algorithm) {
        Limit limit = StoreUnderTest.fivePerMinute(algorithm);
        setClock(at("12:00:00"));
        limiter().block(limit, "alice", HALF_A_MINUTE);

        setClock(at("11:00:00"));
        assertThat(waitOf(limit, "alice")).isEqualTo(HALF_A_MINUTE);
        setClock(at("11:00:20"));
        assertThat(waitOf(limit, "alice")).isEqualTo(Duration.ofSeconds(10));
        setClock(at("11:00:30"));
        assertThat(limiter().acquire(one(limit, "alice")).allowed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = ".*UNIQUE_COUNT")
    default void aKnownElementIsRefusedToo(Algorithm algorithm) {
        Limit devices = Limit.of("devices", algorithm, 2, Duration.ofDays(1));
        setClock(at("12:00:00"));
        limiter().acquire(one(devices, "alice"));

        limiter().block(devices, "alice", HALF_A_MINUTE);

        assertThat(limiter().acquire(one(devices, "alice")).retryAfter()).isEqualTo(HALF_A_MINUTE);
        setClock(at("12:00:30"));
        assertThat(limiter().acquire(Acquisition.of(devices, "alice", "tablet")).remaining())
                .isZero();
    }

    @Test
    default void aBanAndABlockHoldBesideEachOther() {
        Limit banning = Limit.of("banning", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1))
                .withBan(9, Duration.ofMinutes(10), Duration.ofMinutes(1));
        setClock(at("12:00:00"));
        limiter().ban(banning, "alice");
        limiter().block(banning, "alice", HALF_A_MINUTE);

        LimitStatus both = limiter().acquire(one(banning, "alice")).limits().get(0);
        assertThat(both.blocked()).isTrue();
        assertThat(both.retryAfter()).isEqualTo(Duration.ofMinutes(1));

        limiter().unban(banning, "alice");
        assertThat(waitOf(banning, "alice")).isEqualTo(HALF_A_MINUTE);
        limiter().ban(banning, "alice");
        setClock(at("12:00:30"));
        LimitStatus banned = limiter().peek(one(banning, "alice")).limits().get(0);
        assertThat(banned.blocked()).isFalse();
        assertThat(banned.bannedFor()).isEqualTo(HALF_A_MINUTE);
    }

    @Test
    default void aBlockUntilATimeCountsFromTheCallersClock() {
        Limit limit = StoreUnderTest.fivePerMinute(Algorithm.FIXED_WINDOW);
        setClock(at("12:00:00"));
        limiter().block(limit, "alice", Instant.now().minusSeconds(1));
        limiter().block(limit, "alice", Duration.ZERO);
        limiter().block(limit, "alice", Duration.ofDays(-1_000_000_000));
        assertThat(waitOf(limit, "alice")).isZero();

        limiter().block(limit, "alice", Instant.now().plus(Duration.ofHours(2)));

        assertThat(waitOf(limit, "alice")).isBetween(Duration.ofMinutes(119), Duration.ofHours(2));
    }

    @Test
    default void aBlockLastsForAYearAtMost() {
        Limit limit = StoreUnderTest.fivePerMinute(Algorithm.FIXED_WINDOW);
        setClock(at("12:00:00"));
        limiter().block(limit, "alice", Duration.ofDays(366));
        assertThat(waitOf(limit, "alice")).isEqualTo(Duration.ofDays(366));

        assertThatThrownBy(() -> limiter().block(limit, "alice", Duration.ofDays(367)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit 'five' cannot be blocked for '367d': pass at most 366 days");
    }
}
