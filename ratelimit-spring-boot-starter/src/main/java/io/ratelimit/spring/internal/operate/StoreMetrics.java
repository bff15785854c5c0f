package io.ratelimit.spring.internal.operate;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreListener;
import io.ratelimit.redis.BreakerState;
import io.ratelimit.spring.internal.operate.RateLimiterMeter.Tag;
import io.ratelimit.stack.RateLimiterStack;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Measures the store in every registry that it is bound to: its round trips and circuit breakers, and what this process
 * holds. An application's own {@link RateLimiter} is not measured. Thread-safe.
 */
public final class StoreMetrics implements MeterBinder, StoreListener {

    private final CompositeMeterRegistry registries = new CompositeMeterRegistry();
    private final Supplier<RateLimiter> limiter;
    // made when a registry is bound: Micrometer warns of one that is added to a composite which has meters
    private volatile @Nullable RoundTrips roundTrips;

    private record RoundTrips(Map<Outcome, Timer> timers, DistributionSummary calls, DistributionSummary keys) {}

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
            gauge(RateLimiterMeter.WAITING, stack, each -> each.state().waiting())
                    .register(registry);
            if (stack.isShared()) {
                bindShared(registry, stack);
            }
        }
    }

    @Override
    public void onRoundTrip(RoundTrip roundTrip) {
        RoundTrips meters = roundTrips; // not made here: this may be an event loop, which must not wait for a lock
        if (meters != null) {
            Objects.requireNonNull(meters.timers.get(roundTrip.outcome())).record(roundTrip.duration());
            meters.calls.record(roundTrip.calls());
            meters.keys.record(roundTrip.keys());
        }
    }

    private void bindShared(MeterRegistry registry, RateLimiterStack stack) {
        registries.add(registry);
        Map<Outcome, Timer> timers = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            timers.put(outcome, timer(outcome));
        }
        roundTrips = new RoundTrips(timers, summary("calls"), summary("keys"));
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
