package io.ratelimit.sample.playground;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/** The clock that decides: the one of Redis, or of this process if it counts in memory. */
@Component
class StoreClock {

    /** The page sends a request a moment before its instant, and never earlier. */
    private static final long LONGEST_WAIT_MICROS = TimeUnit.SECONDS.toMicros(2);

    private static final Acquisition CLOCK = Acquisition.of(
                    Limit.of("playground-clock", Algorithm.FIXED_WINDOW, 1, Duration.ofSeconds(1)), "nobody")
            .withOnStoreFailure(FailurePolicy.LOCAL);

    private final RateLimiter limiter;

    StoreClock(RateLimiter limiter) {
        this.limiter = limiter;
    }

    /** Returns the time of a decision that charges nothing, in µs since 1970. */
    long nowMicros() {
        return micros(limiter.peek(CLOCK));
    }

    /** Returns when a decision was made. */
    static long micros(Decision decision) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt());
    }

    /** Waits until that instant, for two seconds at most. */
    void waitUntil(long micros) throws InterruptedException {
        long left = micros - nowMicros();
        if (left > 0) {
            TimeUnit.MICROSECONDS.sleep(Math.min(left, LONGEST_WAIT_MICROS));
        }
    }
}
