package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.test.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AlgorithmsTest {

    private final RateLimiter limiter = InMemoryRateLimiter.create(1_000, new TestClock());

    @Test
    void aSettledCallIsChargedWhatItCost() {
        Limit tokensPerMinute = Limit.of("tokens", Algorithm.SLIDING_WINDOW_LOG, 10_000, Duration.ofMinutes(1));

        Acquisition estimate = Acquisition.of(tokensPerMinute, "alice", 500);
        Decision decision = limiter.acquire(estimate);
        // ... the call
        limiter.settleAsync(estimate, decision, 663);

        assertThat(limiter.peek(estimate).remaining()).isEqualTo(10_000 - 663);
    }

    @Test
    void aCallInFlightIsReleased() {
        Limit hourly = Limit.of("hourly", Algorithm.FIXED_WINDOW, 10, Duration.ofHours(1));

        Limit atOnce = Limit.of("reports", Algorithm.CONCURRENCY, 2, Duration.ofMinutes(10));
        Acquisition report = Acquisition.of(atOnce, "alice").and(hourly, "alice");
        Decision decision = limiter.acquire(report);
        if (decision.allowed()) {
            try {
                // ... the call
            } finally {
                limiter.releaseAsync(report, decision); // the hourly limit stays charged
            }
        }

        assertThat(limiter.peek(report).limits())
                .extracting(status -> status.remaining())
                .containsExactly(2L, 9L);
    }

    @Test
    void aKnownDeviceIsAdmitted() {
        String deviceId = "phone";

        Limit devices = Limit.of("devices", Algorithm.UNIQUE_COUNT, 5, Duration.ofDays(30));
        limiter.acquire(Acquisition.of(devices, "alice", deviceId)); // a sixth device is refused, the five are not

        for (int i = 2; i <= 5; i++) {
            assertThat(limiter.acquire(Acquisition.of(devices, "alice", "device" + i))
                            .allowed())
                    .isTrue();
        }
        assertThat(limiter.acquire(Acquisition.of(devices, "alice", "sixth")).allowed())
                .isFalse();
        assertThat(limiter.acquire(Acquisition.of(devices, "alice", deviceId)).allowed())
                .isTrue();
    }
}
