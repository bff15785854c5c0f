package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.testing.Algorithms;
import io.ratelimit.testing.NoThreadsLeft;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A Redis that has lost its scripts, as after a restart or a failover, gets them again, and no call fails. */
@ExtendWith(NoThreadsLeft.class)
class ScriptFlushTest {

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*UNIQUE_COUNT")
    void countsOnWhenTheScriptsAreGone(Algorithm algorithm) {
        Limit limit = Limit.of("five", algorithm, 5, Duration.ofDays(300));
        try (RedisUnderTest redis = RedisUnderTest.withRedisTime()) {
            for (int i = 4; i >= 0; i--) {
                assertThat(redis.limiter()
                                .acquire(Acquisition.of(limit, "alice"))
                                .remaining())
                        .isEqualTo(i);
                redis.redis().scriptFlush();
            }

            assertThat(redis.limiter().acquire(Acquisition.of(limit, "alice")).allowed())
                    .isFalse();
        }
    }

    @Test
    void everySetOfAlgorithmsIsAScriptThatLoads() {
        try (RedisUnderTest redis = RedisUnderTest.withRedisTime()) {
            for (int set = 1; set < 1 << Algorithms.ofCosts().size(); set++) {
                int bits = set;
                redis.redis().scriptFlush();
                assertThat(redis.limiter().acquire(ofAlgorithms(bits)).limits()).hasSize(Integer.bitCount(bits));
            }
        }
    }

    private static Acquisition ofAlgorithms(int bits) {
        Acquisition acquisition = null;
        int bit = 1;
        for (Algorithm algorithm : Algorithms.ofCosts()) {
            if ((bits & bit) != 0) {
                Limit limit = Limit.of("many", algorithm, 100, Duration.ofHours(1));
                acquisition = acquisition == null ? Acquisition.of(limit, "alice") : acquisition.and(limit, "alice");
            }
            bit <<= 1;
        }
        return acquisition;
    }
}
