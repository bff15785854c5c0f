package io.ratelimit;

import static io.ratelimit.StoreUnderTest.fivePerMinute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What one call that waits is answered, and when. */
public interface WaitForQuotaContract extends WaitingUnderTest {

    Limit TWO_AT_ONCE = Limit.of("at-once", Algorithm.CONCURRENCY, 2, Duration.ofMinutes(10));

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {".*UNIQUE_COUNT", "CONCURRENCY"})
    default void aCallIsAdmittedAtRetryAfterAndNotOneMicrosecondEarlier(Algorithm algorithm) {
        Acquisition three = Acquisition.of(fivePerMinute(algorithm), "alice", 3);
        time().passSeconds(20);
        store().acquire(Acquisition.of(fivePerMinute(algorithm), "alice", 4));
        Duration retryAfter = store().peek(three).retryAfter();

        CompletableFuture<Decision> waiting = waits(three, 120);

        time().passMicros(retryAfter.toNanos() / 1_000 - 1);
        assertThat(waiting).isNotDone();
        assertThat(limiter().waiting()).isEqualTo(1);
        time().passMicros(1);
        assertThat(waiting.join().allowed()).isTrue();
        assertThat(limiter().waiting()).isZero();
        assertThat(store().peek(three).allowed()).isFalse();
    }

    @Test
    default void aCallThatFitsDoesNotWait() {
        assertThat(waits(ONE, 1).join().allowed()).isTrue();
    }

    @Test
    default void aCallThatDoesNotFitInTimeIsRefusedAtOnceAndChargesNothing() {
        useUp(ONE_PER_SECOND);

        Decision refused = limiter().acquire(ONE, Duration.ofSeconds(1).minusNanos(1_000));

        assertThat(refused.allowed()).isFalse();
        assertThat(refused).isEqualTo(store().peek(ONE));
        time().passSeconds(1);
        assertThat(store().peek(ONE).allowed()).isTrue();
    }

    @Test
    default void aCallThatDoesNotAskToWaitIsRefusedAtOnce() {
        useUp(ONE_PER_SECOND);

        assertThat(limiter().acquire(ONE).allowed()).isFalse();
        assertThat(waits(ONE, 0).join().allowed()).isFalse();
        assertThat(limiter().waiting()).isZero();
    }

    @Test
    default void severalLimitsWaitForTheSlowestAndAreChargedTogether() {
        Limit five = fivePerMinute(Algorithm.FIXED_WINDOW);
        useUp(five);
        useUp(ONE_PER_SECOND);
        Acquisition both = ONE.and(five, "alice", 2);

        CompletableFuture<Decision> waiting = waits(both, 60);

        time().passSeconds(59);
        assertThat(store().peek(ONE).allowed()).isTrue();
        assertThat(waiting).isNotDone();
        time().passSeconds(1);
        assertThat(waiting.join().limits()).extracting(LimitStatus::remaining).containsExactly(0L, 3L);
    }

    @Test
    default void takesWhatFitsOnceAnythingDoes() {
        Limit five = fivePerMinute(Algorithm.TOKEN_BUCKET);
        useUp(five);

        CompletableFuture<Decision> waiting =
                waits(Acquisition.of(five, "alice").upTo(3), 60);

        time().passSeconds(12);
        assertThat(waiting.join().taken()).isEqualTo(1);
    }

    @Test
    default void anElementWaitsForTheNextWindow() {
        Limit devices = Limit.of("devices", Algorithm.UNIQUE_COUNT, 1, Duration.ofMinutes(1));
        store().acquire(Acquisition.of(devices, "alice", "phone"));

        CompletableFuture<Decision> waiting = waits(Acquisition.of(devices, "alice", "tablet"), 60);

        time().passMicros(59_999_999);
        assertThat(waiting).isNotDone();
        time().passMicros(1);
        assertThat(waiting.join().allowed()).isTrue();
    }

    @Test
    default void anElementThatIsCountedAlreadyPassesThoseThatWait() {
        Limit devices = Limit.of("devices", Algorithm.UNIQUE_COUNT, 1, Duration.ofMinutes(1));
        Acquisition phone = Acquisition.of(devices, "alice", "phone");
        store().acquire(phone);
        CompletableFuture<Decision> tablet = waits(Acquisition.of(devices, "alice", "tablet"), 60);

        assertThat(waits(phone, 60)).isCompletedWithValueMatching(Decision::allowed);
        assertThat(tablet).isNotDone();
    }

    @Test
    default void aSlotThatIsReleasedHereIsTakenAtOnce() {
        Acquisition slot = Acquisition.of(TWO_AT_ONCE, "alice");
        Decision first = limiter().acquire(slot);
        limiter().acquire(slot);

        CompletableFuture<Decision> waiting = waits(slot, 5);
        assertThat(waiting).isNotDone();
        limiter().release(slot, first);

        assertThat(waiting.join().allowed()).isTrue();
    }

    @Test
    default void aSlotThatIsReleasedElsewhereIsTakenWithinATenthOfASecond() {
        Acquisition slot = Acquisition.of(TWO_AT_ONCE, "alice");
        Decision first = store().acquire(slot);
        store().acquire(slot);

        CompletableFuture<Decision> waiting = waits(slot, 5);
        time().passMicros(1_000_001);
        store().release(slot, first);
        time().passMicros(100_000);

        assertThat(waiting.join().allowed()).isTrue();
    }

    @Test
    default void aCallForASlotIsRefusedWhenItsTimeIsOver() {
        useUp(TWO_AT_ONCE);

        CompletableFuture<Decision> waiting = waits(Acquisition.of(TWO_AT_ONCE, "alice"), 5);

        time().passMicros(4_999_999);
        assertThat(waiting).isNotDone();
        time().passMicros(1);
        assertThat(waiting.join().allowed()).isFalse();
        assertThat(waiting.join().retryAfter()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    default void aCallBehindOthersForASlotIsRefusedWhenItsTimeIsOverAndComesBackInASecond() {
        useUp(TWO_AT_ONCE);
        Acquisition slot = Acquisition.of(TWO_AT_ONCE, "alice");
        List<CompletableFuture<Decision>> ahead = List.of(waits(slot, 60), waits(slot, 60), waits(slot, 60));

        CompletableFuture<Decision> waiting = waits(slot, 5);

        time().passMicros(4_999_999);
        assertThat(waiting).isNotDone();
        time().passMicros(1);
        assertThat(waiting.join().allowed()).isFalse();
        assertThat(waiting.join().retryAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(ahead).noneMatch(CompletableFuture::isDone);
    }

    @Test
    default void aCallThatMayWaitLessThanASecondTakesASlotThatIsReleasedMeanwhile() {
        Acquisition slot = Acquisition.of(TWO_AT_ONCE, "alice");
        Decision first = limiter().acquire(slot);
        limiter().acquire(slot);

        CompletableFuture<Decision> waiting =
                limiter().acquireAsync(slot, Duration.ofMillis(300)).toCompletableFuture();
        time().passMicros(250_000);
        assertThat(waiting).isNotDone();
        limiter().release(slot, first);

        assertThat(waiting.join().allowed()).isTrue();
    }

    @Test
    default void whatIsGivenBackHereIsTakenAtOnce() {
        Limit five = fivePerMinute(Algorithm.SLIDING_WINDOW_LOG);
        Acquisition two = Acquisition.of(five, "alice", 2);
        Decision first = limiter().acquire(two);
        limiter().acquire(two);

        CompletableFuture<Decision> waiting = waits(two, 60);
        limiter().refund(two, first);

        assertThat(waiting.join().allowed()).isTrue();
        CompletableFuture<Decision> next = waits(two, 60);
        limiter().reset(five, "alice");
        assertThat(next.join().allowed()).isTrue();
    }

    @Test
    default void waitingLeadsToNoBan() {
        Limit slow = Limit.of("slow", Algorithm.TOKEN_BUCKET, 1, Duration.ofHours(1))
                .withBan(1, Duration.ofHours(10), Duration.ofHours(10));
        useUp(slow);

        CompletableFuture<Decision> waiting = waits(Acquisition.of(slow, "alice"), 3_600);
        time().passSeconds(3_600);

        assertThat(waiting.join().allowed()).isTrue();
    }

    @Test
    default void aRefusalCountsOnceForABanHoweverOftenTheCallAsked() {
        Limit banning = ONE_PER_SECOND.withBan(2, Duration.ofMinutes(1), Duration.ofMinutes(1));
        Acquisition one = Acquisition.of(banning, "alice");
        store().acquire(one);
        CompletableFuture<Decision> waiting = waits(one, 2);
        time().passMicros(999_999);
        store().reset(banning, "alice");
        store().acquire(one); // by somebody else
        time().passMicros(1);
        assertThat(waiting).isNotDone();

        assertThat(limiter().acquire(one, Duration.ofMillis(10)).limits().get(0).banned())
                .isFalse();
        assertThat(limiter().acquire(one, Duration.ofMillis(10)).limits().get(0).banned())
                .isTrue();
    }

    @Test
    default void nobodyWaitsForTheEndOfABan() {
        Limit banning = ONE_PER_SECOND.withBan(2, Duration.ofMinutes(1), Duration.ofMinutes(1));
        CompletableFuture<Decision> before = waits(Acquisition.of(banning, "alice"), 90);
        store().ban(banning, "alice");

        CompletableFuture<Decision> banned = waits(Acquisition.of(banning, "alice"), 90);

        assertThat(before.join().allowed()).isTrue();
        assertThat(banned.join().allowed()).isFalse();
        assertThat(banned.join().retryAfter()).isEqualTo(Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-PT0.000000001S", "PT24H0.000000001S"})
    default void aWaitOutOfRangeIsAnError(Duration maxWait) {
        assertThatThrownBy(() -> limiter().acquire(ONE, maxWait))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("max wait '%s' for limit 'one' must be at least 0 and at most a day", maxWait);
    }

    @Test
    default void anAcquisitionKeepsItsWait() {
        Acquisition waiting = ONE.withMaxWait(Duration.ofSeconds(3));

        assertThat(List.of(
                        waiting.withOnStoreFailure(FailurePolicy.OPEN),
                        waiting.and(TWO_AT_ONCE, "bob"),
                        waiting.upTo(5)))
                .extracting(Acquisition::maxWait)
                .containsOnly(Duration.ofSeconds(3));
    }
}
