package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every algorithm's Java class and its Lua fragment answer the same, to the microsecond, over random schedules. */
@ExtendWith(NoThreadsLeft.class)
class TwinsTest {

    private static final int SCHEDULES = 100;
    private static final int STEPS = 250;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void javaAndLuaAnswerTheSame(Algorithm algorithm) {
        play("one ", List.of(algorithm));
    }

    @Test
    void javaAndLuaAnswerTheSameToSeveralLimitsAtOnce() {
        play("several ", Algorithms.ofCosts());
    }

    @Test
    void javaAndLuaAnswerTheSameOfWindowsInParts() {
        AtomicInteger steps = new AtomicInteger();
        try (TwinStores twins = new TwinStores()) {
            SeededRandom.each("twins in parts", 3 * SCHEDULES, random -> {
                int buckets = random.oneOf(2, 3, 7, 60, 256, 3_600);
                List<Algorithm> algorithms =
                        random.oneIn(4) ? Algorithms.ofCosts() : List.of(Algorithm.SLIDING_WINDOW_COUNTER);
                steps.addAndGet(new RandomSchedule(twins, random, twins.newName(), algorithms, buckets).play(STEPS));
            });
        }
        assertThat(steps).hasValueGreaterThan(STEPS);
    }

    private static void play(String name, List<Algorithm> algorithms) {
        AtomicInteger steps = new AtomicInteger();
        try (TwinStores twins = new TwinStores()) {
            SeededRandom.each(
                    "twins " + name + algorithms,
                    SCHEDULES,
                    random -> steps.addAndGet(
                            new RandomSchedule(twins, random, twins.newName(), algorithms).play(STEPS)));
        }
        assertThat(steps).hasValueGreaterThan(STEPS);
    }
}
