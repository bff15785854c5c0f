package io.ratelimit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.RateLimiterContract;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class InMemoryRateLimiterTest extends RateLimiterContract {

    private final AtomicLong clock = new AtomicLong();
    private final InMemoryRateLimiter limiter = InMemoryRateLimiter.create(1_000, clock::get);

    @Override
    public RateLimiter limiter() {
        return limiter;
    }

    @Override
    public void setClock(long micros) {
        clock.set(micros);
    }

    @Test
    void resetAllForgetsEverySubjectOfEveryLimit() {
        Limit hourly = Limit.of("hourly", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1));
        Limit daily = Limit.of("daily", Algorithm.SLIDING_WINDOW_LOG, 5, Duration.ofDays(1));
        String kept = "k".repeat(8_000); // by its hash
        List<Acquisition> calls =
                List.of(Acquisition.of(hourly, "alice"), Acquisition.of(hourly, "bob"), Acquisition.of(daily, kept));
        try (RateLimiterStack stack =
                RateLimiterStack.inMemory().memory(limiter).build()) {
            calls.forEach(stack::acquire);
            assertThat(calls)
                    .allSatisfy(
                            call -> assertThat(limiter.peek(call).remaining()).isEqualTo(4));

            limiter.resetAll();
            assertThat(calls)
                    .allSatisfy(call -> assertThat(stack.peek(call).remaining()).isEqualTo(5));
        }
    }
}
