package io.ratelimit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.TestTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** While a deployment rolls, instances with a longer window and with a shorter one ask the same state. */
class GrownWindowTest {

    private static final Limit SHORT = Limit.of("x", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofSeconds(1));
    private static final Limit LONG = Limit.of("x", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofSeconds(2));

    @Test
    void theLogCountsNothingAnewThatHasLeftTheShorterOne() {
        AtomicLong clock = new AtomicLong(TestTime.at("12:00:00"));
        RateLimiter memory = InMemoryRateLimiter.create(100, clock::get);
        try (RedisUnderTest redis = RedisUnderTest.withClockOfItsOwn()) {
            for (int i = 0; i < 600; i++) { // 40 a second, of 100 a second
                redis.setClock(clock.addAndGet(25_000));
                Acquisition asked = Acquisition.of(i > 300 && i % 2 == 0 ? LONG : SHORT, "eve");

                assertThat(redis.limiter().acquire(asked))
                        .as("call %d", i)
                        .isEqualTo(memory.acquire(asked))
                        .matches(decision -> decision.allowed());
            }
        }
    }
}
