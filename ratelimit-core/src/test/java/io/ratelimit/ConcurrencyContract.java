package io.ratelimit;

import static io.ratelimit.StoreUnderTest.fivePerMinute;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Calls in flight, beside limits of other algorithms. */
public interface ConcurrencyContract extends StoreUnderTest {

    Limit TWO_AT_ONCE = Limit.of("at-once", Algorithm.CONCURRENCY, 2, Duration.ofMinutes(10));
    Limit FIVE = fivePerMinute(Algorithm.SLIDING_WINDOW_LOG);
    Acquisition BOTH = Acquisition.of(TWO_AT_ONCE, "alice").and(FIVE, "alice");

    @Test
    default void aCallThatIsReleasedFreesItsSlotAndStaysChargedOtherwise() {
        Decision first = acquireAt(at("12:00:00"), BOTH);
        limiter().acquire(BOTH);
        assertThat(limiter().acquire(BOTH).allowed()).isFalse();

        limiter().release(BOTH, first);
        limiter().release(BOTH, first);

        assertThat(remaining(TWO_AT_ONCE, "alice")).isEqualTo(1);
        assertThat(remaining(FIVE, "alice")).isEqualTo(3);
    }

    @Test
    default void settlingAtAnyCostFreesTheSlotToo() {
        Decision first = acquireAt(at("12:00:00"), BOTH);

        limiter().settle(BOTH, first, 4);

        assertThat(remaining(TWO_AT_ONCE, "alice")).isEqualTo(2);
        assertThat(remaining(FIVE, "alice")).isEqualTo(1);
    }

    @Test
    default void aCallRefusedByAnotherLimitTakesNoSlot() {
        setClock(at("12:00:00"));
        admits(FIVE, "alice", 5);

        assertThat(limiter().acquire(BOTH).allowed()).isFalse();

        assertThat(remaining(TWO_AT_ONCE, "alice")).isEqualTo(2);
    }

    @Test
    default void theSlotOfACallerThatDiedIsFreeAfterTheWindow() {
        acquireAt(at("12:00:00"), BOTH);
        setClock(at("12:05:00"));
        limiter().acquire(BOTH);

        assertThat(limiter().acquire(BOTH).allowed()).isFalse();
        setClock(at("12:05:00") + 5 * MINUTE - 1);
        assertThat(admits(TWO_AT_ONCE, "alice", 1)).isFalse();
        setClock(at("12:05:00") + 5 * MINUTE);
        assertThat(admits(TWO_AT_ONCE, "alice", 1)).isTrue();
    }

    @Test
    default void aRefusedCallComesBackInASecondOrSoonerIfACallIsForgottenSooner() {
        acquireAt(at("12:00:00"), BOTH);
        setClock(at("12:05:00"));
        limiter().acquire(BOTH);

        assertThat(limiter().acquire(BOTH).retryAfter()).isEqualTo(Duration.ofSeconds(1));
        LimitStatus status = limiter().peek(BOTH).limits().get(0);
        assertThat(status.retryAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(status.resetAfter()).isEqualTo(Duration.ofMinutes(10));
        setClock(at("12:10:00") - 250_000);
        assertThat(limiter().acquire(BOTH).retryAfter()).isEqualTo(Duration.ofMillis(250));
    }

    @Test
    default void aThousandCallsInFlightEndInAnyOrder() {
        Limit thousand = Limit.of("thousand", Algorithm.CONCURRENCY, 1_000, Duration.ofMinutes(10));
        Acquisition one = Acquisition.of(thousand, "alice");
        Decision[] taken = new Decision[1_000];
        for (int i = 0; i < 1_000; i++) {
            taken[i] = acquireAt(at("12:00:00") + i / 2, one);
        }
        assertThat(limiter().acquire(one).allowed()).isFalse();

        for (int i = 0; i < 1_000; i++) {
            limiter().release(one, taken[i * 619 % 1_000]);
            assertThat(remaining(thousand, "alice")).isEqualTo(i + 1);
        }
        assertThat(limiter().peek(one).limits().get(0).resetAfter()).isZero();
    }
}
