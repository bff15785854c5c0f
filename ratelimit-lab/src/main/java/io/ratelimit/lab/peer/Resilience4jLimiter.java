package io.ratelimit.lab.peer;

import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.ratelimit.lab.Answer;
import io.ratelimit.lab.Limiter;
import io.ratelimit.lab.Setup;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Resilience4j's limiter, which counts in one process, without waiting for the next period. */
public final class Resilience4jLimiter implements Limiter {

    private final RateLimiterRegistry registry;
    private final AtomicLong originNanos = new AtomicLong();

    public Resilience4jLimiter(Setup setup) {
        registry = RateLimiterRegistry.of(RateLimiterConfig.custom()
                .limitForPeriod((int) setup.rate().limit())
                .limitRefreshPeriod(setup.rate().window())
                .timeoutDuration(Duration.ZERO)
                .build());
        registry.getEventPublisher().onEntryAdded(added -> originNanos.set(System.nanoTime()));
    }

    @Override
    public Answer tryAcquire(String subject, long cost) {
        return Answer.of(registry.rateLimiter(subject).acquirePermission((int) cost));
    }

    /** That of the newest limiter: its first window began when it was created. */
    @Override
    public long windowOriginNanos() {
        return originNanos.get();
    }
}
