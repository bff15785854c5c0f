package io.ratelimit.spring.metrics;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreListener;
import io.ratelimit.redis.BreakerState;
import io.ratelimit.spring.metrics.RateLimiterMeter.Tag;
import io.ratelimit.stack.RateLimiterStack;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.springframework.util.function.SingletonSupplier;

/**
 * Measures the store in every registry that it is bound to: its round trips and circuit breakers, and what this process
 * holds. An application's own {@link RateLimiter} is not measured. Thread-safe.
 */
public final class StoreMetrics implements MeterBinder, StoreListener {

    private final CompositeMeterRegistry registries = new CompositeMeterRegistry();
    private final Supplier<RateLimiter> limiter;
    // made when a registry is bound: Micrometer warns of one that is added to a composite which has meters
    private final Map<Outcome, Timer> roundTrips = new ConcurrentHashMap<>();
    private final SingletonSupplier<DistributionSummary> calls = SingletonSupplier.of(() -> summary("calls"));
    private final SingletonSupplier<DistributionSummary> keys = SingletonSupplier.of(() -> summary("keys"));

    /**
     * Measures nothing yet.
     *
     * @param limiter called when a registry is bound
     */
    public StoreMetrics(Supplier<RateLimiter> limiter) {
        this.limiter = limiter;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        if (limiter.get() instanceof RateLimiterStack stack) {
            gauge(RateLimiterMeter.SUBJECTS, stack, each -> each.state().subjects())
                    .register(registry);
            if (stack.isShared()) {
                bindShared(registry, stack);
            }
        }
    }

    @Override
    public void onRoundTrip(RoundTrip roundTrip) {
        Timer timer = roundTrips.get(roundTrip.outcome());
        if (timer != null) {
            timer.record(roundTrip.duration());
            calls.obtain().record(roundTrip.calls());
            keys.obtain().record(roundTrip.keys());
        }
    }

    private void bindShared(MeterRegistry registry, RateLimiterStack stack) {
        registries.add(registry);
        for (Outcome outcome : Outcome.values()) {
            roundTrips.computeIfAbsent(outcome, this::timer);
        }
        calls.obtain();
        keys.obtain();
        gauge(RateLimiterMeter.LEASES, stack, each -> each.state().leases()).register(registry);
        gauge(RateLimiterMeter.REFUSALS, stack, each -> each.state().refusals()).register(registry);
        for (BreakerState state : BreakerState.values()) {
            gauge(RateLimiterMeter.STORE_BREAKER, stack, each -> nodes(each, state))
                    .tag(Tag.STATE.asString(), RateLimiterMeter.tagValue(state))
                    .register(registry);
        }
    }

    private static long nodes(RateLimiterStack stack, BreakerState state) {
        return stack.state().breakers().values().stream().filter(state::equals).count();
    }

    private static Gauge.Builder<RateLimiterStack> gauge(
            RateLimiterMeter meter, RateLimiterStack stack, ToDoubleFunction<RateLimiterStack> value) {
        return Gauge.builder(meter.getName(), stack, value).description(meter.description());
    }

    private Timer timer(Outcome outcome) {
        return Timer.builder(RateLimiterMeter.STORE.getName())
                .description(RateLimiterMeter.STORE.description())
                .tag(Tag.OUTCOME.asString(), RateLimiterMeter.tagValue(outcome))
                .register(registries);
    }

    private DistributionSummary summary(String counted) {
        return DistributionSummary.builder(RateLimiterMeter.STORE_BATCH.getName())
                .description(RateLimiterMeter.STORE_BATCH.description())
                .tag(Tag.COUNTED.asString(), counted)
                .register(registries);
    }
}
