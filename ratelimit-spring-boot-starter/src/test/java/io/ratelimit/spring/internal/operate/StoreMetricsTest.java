package io.ratelimit.spring.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.StoreListener.Outcome;
import io.ratelimit.StoreListener.RoundTrip;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class StoreMetricsTest {

    private static final Limit FIVE = Limit.of("five", Algorithm.FIXED_WINDOW, 5, Duration.ofHours(1));

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void inMemoryThereAreTwoGauges() {
        try (RateLimiterStack stack = RateLimiterStack.inMemory().build()) {
            bind(stack);
            stack.acquire(Acquisition.of(FIVE, "alice"));
            stack.acquire(Acquisition.of(FIVE, "bob"));

            assertThat(registry.get("rate.limiter.subjects").gauge().value()).isEqualTo(2);
            assertThat(registry.get("rate.limiter.waiting").gauge().value()).isZero();
            assertThat(registry.getMeters()).hasSize(2);
        }
    }

    @Test
    void anApplicationsOwnLimiterIsNotMeasured() {
        new StoreMetrics(InMemoryRateLimiter::create).bindTo(registry);

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void roundTripsAreTimedByOutcomeAndTheirSizeIsSummed() {
        try (RateLimiterStack stack =
                RateLimiterStack.onRedis(new NotConnected()).build()) {
            StoreMetrics metrics = bind(stack);
            metrics.onRoundTrip(new RoundTrip(7, 3, Duration.ofMillis(2), Outcome.ANSWERED));
            metrics.onRoundTrip(new RoundTrip(1, 1, Duration.ofMillis(100), Outcome.UNANSWERED));

            assertThat(registry.get("rate.limiter.store")
                            .tag("outcome", "answered")
                            .timer()
                            .totalTime(TimeUnit.MILLISECONDS))
                    .isEqualTo(2);
            assertThat(registry.get("rate.limiter.store")
                            .tag("outcome", "unanswered")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("rate.limiter.store.batch")
                            .tag("counted", "calls")
                            .summary()
                            .totalAmount())
                    .isEqualTo(8);
            assertThat(registry.get("rate.limiter.store.batch")
                            .tag("counted", "keys")
                            .summary()
                            .totalAmount())
                    .isEqualTo(4);
        }
    }

    @Test
    void breakersAreCountedByState() {
        try (RateLimiterStack stack =
                RateLimiterStack.onRedis(new NotConnected()).build()) {
            bind(stack);
            assertThat(breakers("open")).isZero();

            Awaitility.await()
                    .until(
                            () -> { // of failures at one tick of the clock only one counts
                                stack.acquire(Acquisition.of(FIVE, "alice"));
                                return breakers("open") == 1;
                            });
            assertThat(breakers("closed")).isZero();
        }
    }

    @Test
    void everyMeterIsDeclaredWithItsTags() {
        try (RateLimiterStack stack =
                RateLimiterStack.onRedis(new NotConnected()).build()) {
            bind(stack);

            Set<RateLimiterMeter> ofLimits = EnumSet.of(
                    RateLimiterMeter.DECISIONS,
                    RateLimiterMeter.BANNED,
                    RateLimiterMeter.NEAR_LIMIT,
                    RateLimiterMeter.UNRESOLVED,
                    RateLimiterMeter.LOOKUPS,
                    RateLimiterMeter.DENIED,
                    RateLimiterMeter.ALLOWED,
                    RateLimiterMeter.WAIT);
            for (RateLimiterMeter meter : EnumSet.complementOf(EnumSet.copyOf(ofLimits))) {
                Meter.Id id = registry.get(meter.getName()).meter().getId();
                assertThat(id.getType()).isEqualTo(meter.getType());
                assertThat(id.getTags()).hasSameSizeAs(meter.getKeyNames());
            }
        }
    }

    private StoreMetrics bind(RateLimiterStack stack) {
        StoreMetrics metrics = new StoreMetrics(() -> stack);
        metrics.bindTo(registry);
        return metrics;
    }

    private double breakers(String state) {
        return registry.get("rate.limiter.store.breaker")
                .tag("state", state)
                .gauge()
                .value();
    }
}
