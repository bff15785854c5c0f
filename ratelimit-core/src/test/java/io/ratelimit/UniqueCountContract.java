package io.ratelimit;

import static io.ratelimit.StoreUnderTest.fivePerMinute;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Distinct elements of a subject, beside limits of other algorithms. */
public interface UniqueCountContract extends StoreUnderTest {

    Limit THREE_DEVICES = Limit.of("devices", Algorithm.UNIQUE_COUNT, 3, Duration.ofMinutes(1));

    @Test
    default void knownElementsAreAlwaysAdmittedAndNewOnesUpToTheLimit() {
        setClock(at("12:00:10"));

        assertThat(uses("phone")).isTrue();
        assertThat(uses("phone")).isTrue();
        assertThat(uses("laptop")).isTrue();
        assertThat(uses("tablet")).isTrue();

        assertThat(uses("another phone")).isFalse();
        assertThat(uses("laptop")).isTrue();
        assertThat(uses("phone")).isTrue();
    }

    @Test
    default void theAnswersCountDistinctElementsOfTheWindow() {
        setClock(at("12:00:10"));
        uses("phone");
        assertThat(limiter().acquire(device("laptop")).remaining()).isEqualTo(1);
        assertThat(limiter().acquire(device("phone")).remaining()).isEqualTo(1);

        setClock(at("12:00:20"));
        uses("tablet");
        LimitStatus refused =
                limiter().acquire(device("another phone")).limits().get(0);
        assertThat(refused.remaining()).isZero();
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(40));
        assertThat(refused.resetAfter()).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    default void aResetForgetsAllElements() {
        setClock(at("12:00:10"));
        uses("phone");
        uses("laptop");
        uses("tablet");

        limiter().reset(THREE_DEVICES, device("phone").charges().get(0).subject());

        assertThat(uses("another phone")).isTrue();
        assertThat(limiter().peek(device("another phone")).remaining()).isEqualTo(2);
    }

    @Test
    default void theNextWindowStartsAnew() {
        setClock(at("12:00:10"));
        uses("phone");
        uses("laptop");
        uses("tablet");

        setClock(at("12:01:00") - 1);
        assertThat(uses("another phone")).isFalse();
        setClock(at("12:01:00"));
        assertThat(uses("another phone")).isTrue();
        assertThat(limiter().peek(device("phone")).remaining()).isEqualTo(2);
    }

    @Test
    default void aClockThatStepsBackAdmitsNothingExtraAndLocksNobodyOutForLongerThanTheWindow() {
        setClock(at("12:00:10"));
        uses("phone");
        uses("laptop");
        uses("tablet");

        setClock(at("11:00:30"));
        Decision refused = limiter().acquire(device("another phone"));
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofMinutes(1));
        setClock(at("11:00:30") + MINUTE - 1);
        assertThat(uses("another phone")).isFalse();
        setClock(at("11:00:30") + MINUTE);
        assertThat(uses("another phone")).isTrue();
    }

    @Test
    default void anElementIsNotCountedIfAnotherLimitRefuses() {
        Limit five = fivePerMinute(Algorithm.FIXED_WINDOW);
        setClock(at("12:00:10"));
        admits(five, "alice", 5);

        assertThat(limiter().acquire(device("phone").and(five, "alice")).allowed())
                .isFalse();

        assertThat(limiter().peek(device("phone")).remaining()).isEqualTo(3);
    }

    @Test
    default void aRefundLeavesTheElementCounted() {
        Decision decision = acquireAt(at("12:00:10"), device("phone"));

        limiter().refund(device("phone"), decision);
        limiter().settle(device("phone"), decision, 9);

        assertThat(limiter().peek(device("phone")).remaining()).isEqualTo(2);
    }

    @Test
    default void tenThousandElementsAreCountedExactly() {
        Limit many = Limit.of("many", Algorithm.UNIQUE_COUNT, 10_000, Duration.ofMinutes(1));
        setClock(at("12:00:10"));
        int admitted = 0;
        for (int i = 0; i < 10_100; i++) {
            admitted += limiter()
                            .acquire(Acquisition.of(many, "alice", "element " + i))
                            .allowed()
                    ? 1
                    : 0;
        }

        assertThat(admitted).isEqualTo(10_000);
        for (int i = 0; i < 10_000; i += 99) {
            assertThat(limiter()
                            .acquire(Acquisition.of(many, "alice", "element " + i))
                            .allowed())
                    .isTrue();
        }
    }

    /** As subjects are: an encoder would replace each broken surrogate by a question mark. */
    @Test
    default void elementsWithBrokenSurrogatesAreDistinct() {
        setClock(at("12:00:10"));

        assertThat(uses("\uD800")).isTrue();
        assertThat(uses("\uD801")).isTrue();
        assertThat(limiter().acquire(device("?")).remaining()).isZero();
        assertThat(uses("\uDC00")).isFalse();
        assertThat(uses("\uD801")).isTrue();
    }

    @Test
    default void anElementIsNamedIfAndOnlyIfTheLimitCountsElements() {
        assertThatThrownBy(() -> Acquisition.of(THREE_DEVICES, "alice"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit 'devices' counts distinct elements: pass an element and no cost");
        assertThatThrownBy(() -> Acquisition.of(fivePerMinute(Algorithm.FIXED_WINDOW), "alice", "phone"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit 'five' of fixed-window counts no elements");
        assertThatThrownBy(() -> device("phone").and(THREE_DEVICES, "alice", "laptop"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit 'devices' was given two elements of one subject");
        assertThat(device("phone").and(THREE_DEVICES, "alice", "phone").charges())
                .hasSize(1);
    }

    private boolean uses(String device) {
        return limiter().acquire(device(device)).allowed();
    }

    private static Acquisition device(String device) {
        return Acquisition.of(THREE_DEVICES, "alice", device);
    }
}
