package io.ratelimit;

import static io.ratelimit.testing.TestTime.HOUR;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.internal.Micros;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bans of subjects that a limit refuses again and again: after 3 refusals within 10 min, for 5 min and then 1 h. */
public interface BanContract extends StoreUnderTest {

    /** One a second, so that the limit itself never makes anybody wait as long as a ban. */
    private static Limit banning(Algorithm algorithm) {
        return Limit.of("banning", algorithm, 1, Duration.ofSeconds(1))
                .withBan(3, Duration.ofMinutes(10), Duration.ofMinutes(5), Duration.ofHours(1));
    }

    /** Refuses the subject so often at that time; returns the last refusal. */
    private Decision refusedAt(long micros, int times, Limit limit, String subject) {
        setClock(micros);
        admits(limit, subject, 1);
        Decision refused = limiter().peek(Acquisition.of(limit, subject));
        for (int i = 0; i < times; i++) {
            refused = limiter().acquire(Acquisition.of(limit, subject));
            assertThat(refused.allowed()).isFalse();
        }
        return refused;
    }

    private boolean isBanned(Limit limit, String subject) {
        return limiter().peek(Acquisition.of(limit, subject)).limits().get(0).banned();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void asManyRefusalsBanUntilRetryAfterAndNotOneMicrosecondLess(Algorithm algorithm) {
        Limit limit = banning(algorithm);
        long now = at("12:00:00");
        refusedAt(now, 2, limit, "alice");
        assertThat(isBanned(limit, "alice")).isFalse();

        Decision third = refusedAt(now, 1, limit, "alice");

        assertThat(third.retryAfter()).isEqualTo(Duration.ofMinutes(5));
        assertThat(third.remaining()).isZero();
        assertThat(third.limits().get(0).banned()).isTrue();
        assertThat(limiter().peek(Acquisition.of(limit, "alice"))).isEqualTo(third);
        setClock(now + 5 * MINUTE - 1);
        Decision last = limiter().acquire(Acquisition.of(limit, "alice"));
        assertThat(last.retryAfter()).isEqualTo(Micros.toDuration(1));
        assertThat(last.limits().get(0).resetAfter()).isEqualTo(Micros.toDuration(1));
        setClock(now + 5 * MINUTE);
        assertThat(admits(limit, "alice", 1)).isTrue();
        assertThat(isBanned(limit, "alice")).isFalse();
    }

    @Test
    default void distinctElementsAreBannedToo() {
        Limit devices = Limit.of("devices", Algorithm.UNIQUE_COUNT, 1, Duration.ofDays(1))
                .withBan(1, Duration.ofMinutes(10), Duration.ofDays(2));
        setClock(at("12:00:00"));
        limiter().acquire(Acquisition.of(devices, "alice", "phone"));

        Decision refused = limiter().acquire(Acquisition.of(devices, "alice", "tablet"));

        assertThat(refused.retryAfter()).isEqualTo(Duration.ofDays(2));
        assertThat(limiter().acquire(Acquisition.of(devices, "alice", "phone")).allowed())
                .isFalse();
        limiter().unban(devices, "alice");
        assertThat(limiter().acquire(Acquisition.of(devices, "alice", "phone")).allowed())
                .isTrue();
    }

    @Test
    default void refusalsThatAreFurtherApartDoNotBan() {
        Limit limit = banning(Algorithm.FIXED_WINDOW);
        refusedAt(at("12:00:00"), 1, limit, "alice");
        refusedAt(at("12:09:00"), 1, limit, "alice");
        refusedAt(at("12:10:00"), 1, limit, "alice"); // the first one has left the 10 minutes just now
        assertThat(isBanned(limit, "alice")).isFalse();

        refusedAt(at("12:18:00"), 1, limit, "alice");
        assertThat(isBanned(limit, "alice")).isTrue();
    }

    @Test
    default void eachBanIsLongerUntilTheSubjectHasBeenQuiet() {
        Limit limit = banning(Algorithm.SLIDING_WINDOW_LOG);
        long now = at("12:00:00");
        assertThat(refusedAt(now, 3, limit, "alice").retryAfter()).isEqualTo(Duration.ofMinutes(5));

        now += 5 * MINUTE + 10 * MINUTE - 1; // quiet for 10 minutes but a microsecond
        assertThat(refusedAt(now, 3, limit, "alice").retryAfter()).isEqualTo(Duration.ofHours(1));
        now += HOUR + HOUR - 1;
        assertThat(refusedAt(now, 3, limit, "alice").retryAfter()).isEqualTo(Duration.ofHours(1));
        now += HOUR + HOUR;
        assertThat(refusedAt(now, 3, limit, "alice").retryAfter()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    default void onlyRefusalsByTheLimitOutsideABanAreCounted() {
        Limit limit = banning(Algorithm.TOKEN_BUCKET);
        Limit other = Limit.of("other", Algorithm.FIXED_WINDOW, 1, Duration.ofHours(1));
        setClock(at("12:00:00"));
        limiter().acquire(Acquisition.of(other, "acme"));
        for (int i = 0; i < 9; i++) {
            limiter().acquire(Acquisition.of(limit, "alice").and(other, "acme"));
        }
        refusedAt(at("12:00:00"), 2, limit, "alice");
        for (int i = 0; i < 9; i++) {
            limiter().peek(Acquisition.of(limit, "alice"));
        }
        assertThat(isBanned(limit, "alice")).isFalse();

        refusedAt(at("12:00:00"), 9, limit, "alice"); // one bans, eight are during the ban
        setClock(at("12:05:00"));
        assertThat(isBanned(limit, "alice")).isFalse();
        refusedAt(at("12:05:00"), 2, limit, "alice");
        assertThat(isBanned(limit, "alice")).isFalse();
    }

    @Test
    default void aBanRefusesTheWholeAcquisition() {
        Limit limit = banning(Algorithm.CONCURRENCY);
        Limit other = Limit.of("other", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1));
        setClock(at("12:00:00"));
        limiter().ban(limit, "alice");

        Decision refused = limiter().acquire(Acquisition.of(other, "acme").and(limit, "alice"));

        assertThat(refused.refusing()).extracting(LimitStatus::limit).containsExactly(limit);
        assertThat(refused.limits()).extracting(LimitStatus::remaining).containsExactly(5L, 0L);
        assertThat(limiter()
                        .acquireUpTo(Acquisition.of(other, "acme").and(limit, "alice"), 3)
                        .taken())
                .isZero();
        assertThat(remaining(other, "acme")).isEqualTo(5);
        assertThat(limiter().acquire(Acquisition.of(limit, "bob")).allowed()).isTrue();
    }

    @Test
    default void takingWhatIsLeftIsRefusedOnceWhenNothingIs() {
        Limit limit = Limit.of("units", Algorithm.FIXED_WINDOW, 5, Duration.ofDays(1))
                .withBan(2, Duration.ofMinutes(10), Duration.ofDays(2));
        Acquisition one = Acquisition.of(limit, "alice");
        setClock(at("12:00:00"));

        assertThat(limiter().acquireUpTo(one, 3).taken()).isEqualTo(3);
        assertThat(limiter().acquireUpTo(one, 3).taken()).isEqualTo(2);
        assertThat(limiter().acquireUpTo(one, 3).limits().get(0).banned()).isFalse();
        assertThat(limiter().acquireUpTo(one, 3).limits().get(0).banned()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    default void failuresBanWhereTheyAreCountedAndRefusalsDoNot(Algorithm algorithm) {
        Limit limit = Limit.of("failing", algorithm, 5, Duration.ofDays(1))
                .withBan(3, Duration.ofMinutes(10), Duration.ofDays(2))
                .banningFailures();
        Acquisition one = Acquisition.of(limit, "alice");
        setClock(at("12:00:00"));
        endsAt(one, 0);
        endsAt(one, 1);
        endsAt(one, 3);
        for (int i = 0; i < 9; i++) {
            admits(limit, "alice", 5);
        }
        assertThat(isBanned(limit, "alice")).isFalse();

        endsAt(one, 1);

        assertThat(limiter().acquire(one).limits().get(0).bannedFor()).isEqualTo(Duration.ofDays(2));
        limiter().unban(limit, "alice");
        assertThat(remaining(limit, "alice")).as("5 was their cost").isZero();
    }

    @Test
    default void aCallThatIsSettledTwiceFailsOnceAndWhatEndsDuringABanIsNotCounted() {
        Limit limit = Limit.of("failing", Algorithm.FIXED_WINDOW, 9, Duration.ofDays(1))
                .withBan(2, Duration.ofMinutes(10), Duration.ofMinutes(5), Duration.ofHours(1))
                .banningFailures();
        Limit other = Limit.of("other", Algorithm.FIXED_WINDOW, 9, Duration.ofDays(1));
        Acquisition both = Acquisition.of(other, "alice").and(limit, "alice");
        setClock(at("12:00:00"));
        Decision first = limiter().acquire(both);
        List<Decision> inFlight = List.of(
                limiter().acquire(both), limiter().acquire(both), limiter().acquire(both));

        limiter().settle(both, first, 1);
        limiter().settle(both, first, 1);
        assertThat(isBanned(limit, "alice")).isFalse();
        inFlight.forEach(decision -> limiter().settle(both, decision, 2, 1));

        assertThat(limiter().acquire(both).retryAfter()).isEqualTo(Duration.ofMinutes(5));
        assertThat(remaining(other, "alice")).isEqualTo(2);
        setClock(at("12:05:00"));
        assertThat(isBanned(limit, "alice")).isFalse();
    }

    private void endsAt(Acquisition acquisition, long actual) {
        limiter().settle(acquisition, limiter().acquire(acquisition), actual);
    }

    @Test
    default void isBegunAndLiftedInCode() {
        Limit limit = banning(Algorithm.SLIDING_WINDOW_COUNTER);
        setClock(at("12:00:00"));

        limiter().ban(limit, "alice");
        assertThat(limiter().peek(Acquisition.of(limit, "alice")).retryAfter()).isEqualTo(Duration.ofMinutes(5));
        limiter().ban(limit, "alice");
        assertThat(limiter().peek(Acquisition.of(limit, "alice")).retryAfter()).isEqualTo(Duration.ofHours(1));

        limiter().unban(limit, "alice");
        assertThat(admits(limit, "alice", 1)).isTrue();
        limiter().ban(limit, "alice");
        limiter().unban(limit, "alice");
        assertThat(limiter().acquire(Acquisition.of(limit, "alice")).retryAfter())
                .as("what was counted stays")
                .isPositive();

        limiter().ban(limit, "alice");
        limiter().reset(limit, "alice");
        assertThat(admits(limit, "alice", 1)).isTrue();
    }

    @Test
    default void changedNumbersHoldAtOnce() {
        Limit limit = banning(Algorithm.FIXED_WINDOW);
        Limit changed = Limit.of("banning", Algorithm.FIXED_WINDOW, 1, Duration.ofSeconds(1))
                .withBan(3, Duration.ofMinutes(10), Duration.ofMinutes(2));
        long now = at("12:00:00");
        refusedAt(now, 3, limit, "alice");
        setClock(now + MINUTE);

        assertThat(limiter().peek(Acquisition.of(changed, "alice")).retryAfter())
                .isEqualTo(Duration.ofMinutes(1));
        assertThat(limiter().peek(Acquisition.of(limit, "alice")).retryAfter()).isEqualTo(Duration.ofMinutes(4));
        setClock(now + 2 * MINUTE);
        assertThat(admits(changed, "alice", 1)).isTrue();
    }

    @Test
    default void aClockThatStepsBackMakesNoBanLonger() {
        Limit limit = banning(Algorithm.FIXED_WINDOW);
        refusedAt(at("12:00:00"), 3, limit, "alice");

        setClock(at("09:00:00"));
        assertThat(limiter().peek(Acquisition.of(limit, "alice")).retryAfter()).isEqualTo(Duration.ofMinutes(5));
        setClock(at("09:05:00"));
        assertThat(isBanned(limit, "alice")).isFalse();
    }

    @Test
    default void refusalsOfManyThreadsAreCountedExactly() {
        Limit limit = Limit.of("hot", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(1))
                .withBan(65, Duration.ofHours(1), Duration.ofDays(2));
        refusedAt(at("12:00:00"), 0, limit, "alice");

        List<Integer> admitted = Threads.run(32, thread -> () -> admitted(2, limit, "alice"));

        assertThat(admitted).containsOnly(0);
        assertThat(isBanned(limit, "alice")).isFalse();
        assertThat(refusedAt(at("12:00:00") + SECOND, 0, limit, "alice").retryAfter())
                .isEqualTo(Duration.ofDays(2));
    }

    @Test
    default void whatCannotBeBannedSaysSo() {
        Limit plain = StoreUnderTest.fivePerMinute(Algorithm.FIXED_WINDOW);

        assertThatThrownBy(() -> limiter().ban(plain, "alice"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit 'five' has no ban: add one by withBan or the property ban");
        assertThatThrownBy(() -> limiter().unban(plain, "alice")).isInstanceOf(IllegalArgumentException.class);
    }
}
