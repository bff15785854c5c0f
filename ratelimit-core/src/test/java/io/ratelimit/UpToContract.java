package io.ratelimit;

import static io.ratelimit.StoreUnderTest.fivePerMinute;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.testing.SeededRandom;
import io.ratelimit.testing.Threads;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Taking what is left, up to a number. */
public interface UpToContract extends StoreUnderTest {

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void takesWhatIsLeftAndIsRefusedOnceNothingIs(Algorithm algorithm) {
        Acquisition one = Acquisition.of(fivePerMinute(algorithm), "alice");
        acquireAt(at("12:00:00"), Acquisition.of(fivePerMinute(algorithm), "alice", 2));

        Decision rest = limiter().acquireUpTo(one, 10);

        assertThat(rest.allowed()).isTrue();
        assertThat(rest.taken()).isEqualTo(3);
        assertThat(rest.remaining()).isZero();
        assertThat(rest.retryAfter()).isZero();
        Decision refused = limiter().acquireUpTo(one, 10);
        assertThat(refused.taken()).isZero();
        assertThat(refused).isEqualTo(limiter().acquire(one));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void takesNoMoreThanAskedFor(Algorithm algorithm) {
        setClock(at("12:00:00"));
        Acquisition one = Acquisition.of(fivePerMinute(algorithm), "alice");

        assertThat(limiter().acquireUpTo(one, 2).taken()).isEqualTo(2);
        assertThat(limiter().acquireUpTo(one, 1).taken()).isEqualTo(1);
        assertThat(limiter().peek(one.upTo(9)).taken()).isEqualTo(2);
        assertThat(remaining(fivePerMinute(algorithm), "alice")).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void takesEqualNumbersOfUnitsFromAllLimitsOrNone(Algorithm algorithm) {
        setClock(at("12:00:00"));
        Limit hundred = Limit.of("hundred", algorithm, 100, Duration.ofMinutes(1));
        Acquisition unit = Acquisition.of(fivePerMinute(algorithm), "alice", 2).and(hundred, "acme", 10);

        Decision two = limiter().acquireUpTo(unit, 9);

        assertThat(two.taken()).isEqualTo(2);
        assertThat(two.limits()).extracting(LimitStatus::remaining).containsExactly(1L, 80L);
        assertThat(limiter().acquireUpTo(unit, 9).refusing()).hasSize(1);
        assertThat(remaining(hundred, "acme")).isEqualTo(80);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"CONCURRENCY", ".*UNIQUE_COUNT"})
    default void settlesAllUnitsTogether(Algorithm algorithm) {
        setClock(at("12:00:00"));
        Limit five = fivePerMinute(algorithm);
        Acquisition one = Acquisition.of(five, "alice");

        Decision four = limiter().acquireUpTo(one, 4);
        limiter().settle(one, four, 1);
        assertThat(remaining(five, "alice")).isEqualTo(4);

        Decision three = limiter().acquireUpTo(one, 3);
        limiter().release(one, three);
        assertThat(remaining(five, "alice")).isEqualTo(1);
        limiter().refund(one, three);
        assertThat(remaining(five, "alice")).isEqualTo(1);

        Decision last = limiter().acquireUpTo(one, 3);
        limiter().refund(one.upTo(3), last);
        assertThat(remaining(five, "alice")).isEqualTo(1);
    }

    @Test
    default void freesAllUnitsThatAreInFlight() {
        setClock(at("12:00:00"));
        Limit five = fivePerMinute(Algorithm.CONCURRENCY);
        Acquisition one = Acquisition.of(five, "alice");

        limiter().release(one, limiter().acquireUpTo(one, 4));

        assertThat(remaining(five, "alice")).isEqualTo(5);
    }

    /** Bob takes one unit after the other, at the times at which Alice takes what is left. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void takesAsManyUnitsAsWouldBeAdmittedOneAfterTheOther(Algorithm algorithm) {
        SeededRandom random = SeededRandom.of("up to " + algorithm);
        long now = at("12:00:00");
        for (int step = 0; step < SeededRandom.share(300); step++) {
            now += random.oneIn(3) ? 0 : random.ofAnySize(1, MINUTE);
            setClock(now);
            Limit limit = Limit.of("units", algorithm, random.between(5, 40), Duration.ofMinutes(1));
            long cost = random.between(1, 3);
            int most = (int) random.between(1, 30);

            int taken = limiter()
                    .acquireUpTo(Acquisition.of(limit, "alice", cost), most)
                    .taken();

            int admitted = 0;
            while (admitted < most && admits(limit, "bob", cost)) {
                admitted++;
            }
            assertThat(taken).as(SeededRandom.seed()).isEqualTo(admitted);
            assertThat(limiter().peek(Acquisition.of(limit, "alice", cost)))
                    .as(SeededRandom.seed())
                    .isEqualTo(limiter().peek(Acquisition.of(limit, "bob", cost)));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    default void manyThreadsTakeExactlyTheLimitAndNobodyIsRefusedWhileSomethingIsLeft(Algorithm algorithm) {
        setClock(at("12:00:00"));
        Limit limit = Limit.of("hot", algorithm, 1_000, Duration.ofHours(1));
        Acquisition one = Acquisition.of(limit, "alice");

        List<Integer> taken = Threads.run(32, thread -> () -> {
            int sum = 0;
            Decision decision = limiter().acquireUpTo(one, 7);
            while (decision.allowed()) {
                sum += decision.taken();
                decision = limiter().acquireUpTo(one, 7);
            }
            assertThat(remaining(limit, "alice")).isZero();
            return sum;
        });

        assertThat(taken.stream().mapToInt(Integer::intValue).sum()).isEqualTo(1_000);
    }

    @Test
    default void neverAsksForMoreThanCouldFit() {
        setClock(at("12:00:00"));
        Limit large = Limit.of("large", Algorithm.FIXED_WINDOW, 1_000_000_000_000L, Duration.ofMinutes(1));
        Limit five = fivePerMinute(Algorithm.FIXED_WINDOW);

        assertThat(limiter()
                        .acquireUpTo(Acquisition.of(large, "alice"), Integer.MAX_VALUE)
                        .taken())
                .isEqualTo(Integer.MAX_VALUE);
        assertThat(Acquisition.of(five, "alice", 2).upTo(Integer.MAX_VALUE).times())
                .isEqualTo(2);
    }

    @Test
    default void whatCannotBeTakenInPartSaysSo() {
        Limit devices = Limit.of("devices", Algorithm.UNIQUE_COUNT, 5, Duration.ofMinutes(1));
        Acquisition twice = Acquisition.of(fivePerMinute(Algorithm.FIXED_WINDOW), "alice")
                .and(Limit.of("five", Algorithm.FIXED_WINDOW, 9, Duration.ofMinutes(1)), "alice");

        assertThatThrownBy(() -> twice.upTo(1)).hasMessageContaining("limit 'five' is charged twice to one subject");
        assertThatThrownBy(() -> Acquisition.of(devices, "alice", "phone").upTo(1))
                .hasMessageContaining("limit 'devices' counts distinct elements");
        assertThatThrownBy(() -> limiter().acquireUpTo(Acquisition.of(devices, "alice", "phone"), 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit 'devices' counts distinct elements, of which a call takes all or nothing: acquire it"
                        + " without upTo");
        assertThatThrownBy(() -> limiter().acquireUpTo(twice, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit 'five' is charged twice to one subject");
        assertThatThrownBy(() -> twice.upTo(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("up to '0' times");
    }
}
