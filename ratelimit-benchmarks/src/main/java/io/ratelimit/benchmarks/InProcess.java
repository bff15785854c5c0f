package io.ratelimit.benchmarks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.memory.MicrosClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Limiters that count in this process, each with room for a number of subjects. Those that bring no cache get one that
 * does what this library's does: bounded in number, and in the time that a subject may be idle.
 */
enum InProcess {
    OWN("this library", subjects -> {
        var limiter = InMemoryRateLimiter.create(subjects, MicrosClock.steady());
        return subject -> limiter.acquire(Acquisition.of(Limits.AMPLE, subject)).allowed();
    }),

    BUCKET4J("Bucket4j local in a Caffeine cache", subjects -> {
        Cache<String, Bucket> buckets = cache(subjects);
        return subject -> buckets.get(
                        subject,
                        name -> Bucket.builder()
                                .addLimit(limit -> limit.capacity(Limits.BURST)
                                        .refillGreedy(Limits.PER_SECOND, Duration.ofSeconds(1)))
                                .build())
                .tryConsume(1);
    }),

    RESILIENCE4J("Resilience4j registry", subjects -> {
        RateLimiterRegistry registry = RateLimiterRegistry.of(RateLimiterConfig.custom()
                .limitForPeriod((int) Limits.BURST)
                .limitRefreshPeriod(Duration.ofSeconds(1))
                .timeoutDuration(Duration.ZERO)
                .build());
        return subject -> registry.rateLimiter(subject).acquirePermission();
    }),

    GUAVA("Guava RateLimiter in a Caffeine cache", subjects -> {
        Cache<String, RateLimiter> limiters = cache(subjects);
        return subject ->
                limiters.get(subject, name -> RateLimiter.create(Limits.BURST)).tryAcquire();
    });

    /** Answers whether a request of that subject is admitted. */
    @FunctionalInterface
    interface Limiter {
        boolean tryAcquire(String subject);
    }

    final String label;

    @SuppressWarnings("ImmutableEnumChecker") // stateless
    private final IntFunction<Limiter> factory;

    InProcess(String label, IntFunction<Limiter> factory) {
        this.label = label;
        this.factory = factory;
    }

    /** A new limiter, to which no subject is known. */
    Limiter open(int subjects) {
        return factory.apply(subjects);
    }

    private static <V> Cache<String, V> cache(int subjects) {
        long idleSeconds = 2 * Limits.BURST / Limits.PER_SECOND;
        return Caffeine.newBuilder()
                .maximumSize(subjects)
                .expireAfterAccess(idleSeconds, TimeUnit.SECONDS)
                .build();
    }
}
