package io.ratelimit;

import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Plans that share one limit name but have other numbers and bans: each decides by its own over one record. */
public interface BansOfPlansContract extends StoreUnderTest {

    private static Limit plan(int maxRequests, int after, Duration within, Duration length) {
        return Limit.of("plans", Algorithm.FIXED_WINDOW, maxRequests, Duration.ofDays(1))
                .withBan(after, within, length);
    }

    private Duration bannedFor(Limit limit) {
        return limiter().peek(Acquisition.of(limit, "alice")).limits().get(0).bannedFor();
    }

    private void useUp(Limit limit) {
        setClock(at("12:00:00"));
        assertThat(admits(limit, "alice", limit.maxRequests())).isTrue();
    }

    @Test
    default void oneRefusalOfTwoPlansCountsOnce() {
        Limit user = plan(3, 3, Duration.ofMinutes(10), Duration.ofMinutes(1));
        Limit team = plan(4, 3, Duration.ofMinutes(10), Duration.ofMinutes(2));
        useUp(team);
        Acquisition both = Acquisition.of(user, "alice").and(team, "alice");

        limiter().acquire(both);
        limiter().acquire(both);
        assertThat(bannedFor(team)).isZero();
        limiter().acquire(both);

        assertThat(bannedFor(user)).isEqualTo(Duration.ofMinutes(1));
        assertThat(bannedFor(team)).isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    default void oneFailureOfTwoPlansCountsOnce() {
        Limit user = plan(8, 2, Duration.ofMinutes(10), Duration.ofMinutes(1)).banningFailures();
        Limit team = plan(9, 2, Duration.ofMinutes(10), Duration.ofMinutes(2)).banningFailures();
        setClock(at("12:00:00"));
        Acquisition both = Acquisition.of(user, "alice").and(team, "alice");

        limiter().settle(both, limiter().acquire(both), 1);
        assertThat(bannedFor(team)).isZero();
        limiter().settle(both, limiter().acquire(both), 1);

        assertThat(bannedFor(user)).isEqualTo(Duration.ofMinutes(1));
        assertThat(bannedFor(team)).isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    default void theRefusalThatBeginsABanSaysHowLongItIsForEachPlan() {
        Limit user = plan(3, 5, Duration.ofMinutes(10), Duration.ofDays(3));
        Limit team = plan(4, 1, Duration.ofMinutes(10), Duration.ofDays(2));
        useUp(team);
        Acquisition both = Acquisition.of(user, "alice").and(team, "alice");

        Decision refused = limiter().acquire(both);

        assertThat(refused.limits())
                .extracting(LimitStatus::bannedFor)
                .containsExactly(Duration.ofDays(3), Duration.ofDays(2));
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofDays(3));
        assertThat(limiter().peek(both)).isEqualTo(refused);
    }

    @Test
    default void aPlanThatLooksBackForLessForgetsNoRefusalOfAnother() {
        Limit patient = plan(3, 4, Duration.ofMinutes(10), Duration.ofMinutes(1));
        Limit brief = plan(4, 2, Duration.ofSeconds(10), Duration.ofMinutes(2));
        useUp(brief);
        admits(patient, "alice", 1);

        for (int i = 1; i <= 2; i++) {
            setClock(at("12:00:00") + i * MINUTE);
            admits(brief, "alice", 1);
        }
        assertThat(bannedFor(brief)).as("none of the last 10 s but one").isZero();
        setClock(at("12:02:00") + 20 * SECOND);
        admits(patient, "alice", 1);

        assertThat(bannedFor(patient)).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    default void aRefusalIsRememberedForAsLongAsThePlanThatCountedItAsks() {
        Limit brief = plan(3, 2, Duration.ofMinutes(4), Duration.ofMinutes(1));
        Limit patient = plan(4, 2, Duration.ofMinutes(10), Duration.ofMinutes(1));
        useUp(patient);
        admits(brief, "alice", 1);
        setClock(at("12:04:00"));
        admits(patient, "alice", 1);
        assertThat(bannedFor(patient)).as("the first is forgotten").isZero();

        setClock(at("12:08:00") - 1);
        admits(brief, "alice", 1);

        assertThat(bannedFor(brief)).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    default void asManyRefusalsAreRememberedAsThePlansThatCountedAskFor() {
        Limit two = plan(3, 2, Duration.ofMinutes(10), Duration.ofMinutes(1));
        Limit brief = plan(3, 2, Duration.ofSeconds(10), Duration.ofMinutes(1));
        Limit four = plan(4, 4, Duration.ofMinutes(10), Duration.ofMinutes(1));
        useUp(four);
        admits(two, "alice", 1);
        setClock(at("12:01:00"));
        admits(brief, "alice", 1);
        setClock(at("12:02:00"));
        admits(brief, "alice", 1);
        setClock(at("12:03:00"));
        admits(four, "alice", 1);
        assertThat(bannedFor(four)).as("the first is forgotten").isZero();

        admits(four, "alice", 1);

        assertThat(bannedFor(four)).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    default void aBanLastsNoLongerThanItIsRememberedByThePlanThatBegan() {
        Limit brief = plan(3, 1, Duration.ofMinutes(3), Duration.ofMinutes(1));
        Limit patient = plan(4, 1, Duration.ofMinutes(10), Duration.ofDays(1));
        useUp(patient);
        admits(brief, "alice", 1);

        assertThat(bannedFor(brief)).isEqualTo(Duration.ofMinutes(1));
        assertThat(bannedFor(patient)).as("until brief forgives").isEqualTo(Duration.ofMinutes(4));
        setClock(at("12:04:00"));
        assertThat(bannedFor(patient)).isZero();
    }
}
