package io.ratelimit.spring.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Decision.Source;
import io.ratelimit.DecisionListener;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.spring.rule.Unresolved;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts decisions in every registry that it is bound to. A decision made before the first registry is bound is not
 * counted. Tags hold names of limits and never a subject. Thread-safe.
 */
public final class RateLimiterMetrics implements MeterBinder, DecisionListener, Unresolved.Listener {

    private static final int MOST_LIMITS = 1_000;

    private final CompositeMeterRegistry registries = new CompositeMeterRegistry();
    private final Map<String, LimitMeters> limits = new ConcurrentHashMap<>();
    private final DecisionOutcome refusal;
    private final int warnAtPercent;

    /**
     * Counts into no registry yet.
     *
     * @param reportOnly whether a refusal is only reported, and counted as {@code would-refuse}
     * @param warnAtPercent from what use of its capacity a limit is counted as near, in percent
     */
    public RateLimiterMetrics(boolean reportOnly, int warnAtPercent) {
        this.refusal = reportOnly ? DecisionOutcome.WOULD_REFUSE : DecisionOutcome.REFUSED;
        this.warnAtPercent = warnAtPercent;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        registries.add(registry);
    }

    @Override
    public void onDecision(Acquisition acquisition, Decision decision) {
        if (decision.limits().isEmpty()) {
            each(acquisition, DecisionOutcome.ALLOWED);
        }
        for (LimitStatus status : decision.limits()) {
            if (decision.allowed()) {
                allowed(status, decision.source());
            } else if (status.refuses()) {
                meters(status.limit().name()).decided(refusal, decision.source());
            }
        }
    }

    @Override
    public void onFailure(Acquisition acquisition, RuntimeException failure) {
        each(acquisition, DecisionOutcome.ERROR);
    }

    @Override
    public void onUnresolved(Limit limit, Unresolved reason) {
        meters(limit.name()).unresolved(reason);
    }

    private void each(Acquisition acquisition, DecisionOutcome outcome) {
        for (Charge charge : acquisition.charges()) {
            meters(charge.limit().name()).decided(outcome, Source.NONE);
        }
    }

    private void allowed(LimitStatus status, Source source) {
        LimitMeters meters = meters(status.limit().name());
        meters.decided(DecisionOutcome.ALLOWED, source);
        double capacity = status.limit().capacity();
        if ((capacity - status.remaining()) * 100 >= capacity * warnAtPercent) {
            meters.nearLimit();
        }
    }

    private LimitMeters meters(String limit) {
        LimitMeters known = limits.get(limit);
        if (known != null) {
            return known;
        }
        return limits.computeIfAbsent(
                limits.size() < MOST_LIMITS ? limit : "other", name -> new LimitMeters(registries, name));
    }
}
