package io.ratelimit.spring.internal.operate;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Decision.Source;
import io.ratelimit.DecisionListener;
import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.LimitStatus;
import io.ratelimit.spring.internal.operate.RateLimiterMeter.DecisionOutcome;
import io.ratelimit.spring.internal.rule.AccessList;
import io.ratelimit.spring.internal.rule.CallLimiter.Unresolved;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts decisions in every registry that it is bound to. A decision made before the first registry is bound is not
 * counted. Tags hold names of limits and never a subject. Thread-safe.
 */
public final class RateLimiterMetrics
        implements MeterBinder, DecisionListener, Unresolved.Listener, AccessList.Listener {

    private static final int MOST_LIMITS = 1_000;

    private final DecisionOutcome refusal;
    private final int warnAtPercent;
    private List<Limit> configured = List.of();
    private boolean canFail;
    private volatile @Nullable Bound bound;

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
    public synchronized void bindTo(MeterRegistry registry) {
        Bound before = bound;
        bound = new Bound(
                before == null
                        ? registry
                        : new CompositeMeterRegistry(Clock.SYSTEM, List.of(before.registry, registry)),
                new ConcurrentHashMap<>());
        begin();
    }

    /**
     * Has the counters of these limits begin at 0, because a rate is known only of what was counted before.
     *
     * @param shared whether they count in a store that may give no answer
     */
    public synchronized void begin(List<Limit> limits, boolean shared) {
        configured = List.copyOf(limits);
        canFail = shared;
        begin();
    }

    private void begin() {
        Bound counted = bound;
        if (counted != null) {
            configured.forEach(limit -> counted.meters(limit)
                    .begin(refusal(limit), canFail, limit.ban().isPresent()));
        }
    }

    @Override
    public void onDecision(Acquisition acquisition, Decision decision) {
        Bound counted = bound;
        if (counted == null) {
            return;
        }
        if (decision.limits().isEmpty()) {
            each(counted, acquisition, DecisionOutcome.ALLOWED);
        }
        decided(counted, decision);
        decision.reported().forEach(reported -> decided(counted, reported));
    }

    private void decided(Bound counted, Decision decision) {
        for (LimitStatus status : decision.limits()) {
            if (decision.allowed()) {
                allowed(counted.meters(status.limit()), status, decision.source());
            } else if (status.refuses()) {
                refused(counted.meters(status.limit()), status, decision.source());
            }
        }
    }

    @Override
    public void onFailure(Acquisition acquisition, RuntimeException failure) {
        Bound counted = bound;
        if (counted != null) {
            each(counted, acquisition, DecisionOutcome.ERROR);
        }
    }

    @Override
    public void onWaited(Acquisition acquisition, Decision decision, Duration waited) {
        Bound counted = bound;
        if (counted != null) {
            DecisionOutcome outcome = decision.allowed() ? DecisionOutcome.ALLOWED : refusal;
            for (Charge charge : acquisition.charges()) {
                if (!charge.limit().reportOnly()) {
                    counted.meters(charge.limit()).waited(outcome, waited);
                }
            }
        }
    }

    @Override
    public void onLookUp(Limit limit, LimitProvider.Outcome outcome) {
        Bound counted = bound;
        if (counted != null) {
            counted.meters(limit).lookedUp(outcome);
        }
    }

    @Override
    public void onUnresolved(Limit limit, Unresolved reason) {
        Bound counted = bound;
        if (counted != null) {
            counted.meters(limit).unresolved(reason);
        }
    }

    @Override
    public void onListed(AccessList.Kind kind) {
        Bound counted = bound;
        if (counted != null) {
            RateLimiterMeter meter = kind == AccessList.Kind.DENY ? RateLimiterMeter.DENIED : RateLimiterMeter.ALLOWED;
            Counter.builder(meter.getName())
                    .description(meter.description())
                    .register(counted.registry)
                    .increment();
        }
    }

    /** Limits that only report decide nothing then. */
    private static void each(Bound counted, Acquisition acquisition, DecisionOutcome outcome) {
        for (Charge charge : acquisition.charges()) {
            if (!charge.limit().reportOnly()) {
                counted.meters(charge.limit()).decided(outcome, Source.NONE);
            }
        }
    }

    private void refused(LimitMeters meters, LimitStatus status, Source source) {
        meters.decided(refusal(status.limit()), source);
        if (status.banned()) {
            meters.banned();
        }
    }

    private DecisionOutcome refusal(Limit limit) {
        return limit.reportOnly() ? DecisionOutcome.WOULD_REFUSE : refusal;
    }

    private void allowed(LimitMeters meters, LimitStatus status, Source source) {
        meters.decided(DecisionOutcome.ALLOWED, source);
        double capacity = status.limit().capacity();
        if ((capacity - status.remaining()) * 100 >= capacity * warnAtPercent) {
            meters.nearLimit();
        }
    }

    /** Counts into the registry that was bound, or into a composite if there are several. */
    private record Bound(MeterRegistry registry, Map<String, LimitMeters> limits) {

        LimitMeters meters(Limit limit) {
            LimitMeters known = limits.get(limit.name());
            if (known == null) {
                known = limits.computeIfAbsent(
                        limits.size() < MOST_LIMITS ? limit.name() : "other", name -> new LimitMeters(registry, name));
            }
            return known.of(limit);
        }
    }
}
