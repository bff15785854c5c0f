package io.ratelimit.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.memory.InMemoryRateLimiter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForecastTest {

    @Test
    void aCallBehindALongLineIsAdmittedInCenturies() {
        Limit slowest = Limit.of("slowest", Algorithm.TOKEN_BUCKET, 1, Duration.ofDays(366))
                .withBurst(100);
        Acquisition all = Acquisition.of(slowest, "alice", 100);
        InMemoryRateLimiter store = InMemoryRateLimiter.create(100, () -> 0);
        store.acquire(all);
        Forecast fourth = Forecast.of(all, List.of(400L), Duration.ZERO);

        Decision forecast = fourth.decision(store.peek(fourth.acquisition()));

        assertThat(forecast.retryAfter()).isEqualTo(Duration.ofDays(400 * 366));
    }
}
