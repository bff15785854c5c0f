package io.ratelimit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.NoThreadsLeft;
import io.ratelimit.testing.SeededRandom;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every algorithm's Java class and its Lua fragment answer the same, to the microsecond, over random schedules. */
@ExtendWith(NoThreadsLeft.class)
class TwinsTest {

    private static final int STEPS = 10_000;
    private static final int STEPS_OF_A_SCHEDULE = 250;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNIQUE_COUNT")
    void javaAndLuaAnswerTheSame(Algorithm algorithm) {
        play("one-", List.of(algorithm));
    }

    @Test
    void javaAndLuaAnswerTheSameToSeveralLimitsAtOnce() {
        play("several-", Algorithms.ofCosts());
    }

    private static void play(String name, List<Algorithm> algorithms) {
        SeededRandom random = SeededRandom.of("twins " + name + algorithms);
        try (TwinStores twins = new TwinStores()) {
            int steps = 0;
            for (int schedule = 0; steps < STEPS; schedule++) {
                steps += new RandomSchedule(twins, random, name + schedule + "-", algorithms).play(STEPS_OF_A_SCHEDULE);
            }
            assertThat(steps).isGreaterThanOrEqualTo(STEPS);
        }
    }
}
