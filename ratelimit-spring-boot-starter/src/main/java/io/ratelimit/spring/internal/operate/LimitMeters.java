package io.ratelimit.spring.internal.operate;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.ratelimit.Decision.Source;
import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.spring.internal.operate.RateLimiterMeter.DecisionOutcome;
import io.ratelimit.spring.internal.operate.RateLimiterMeter.Tag;
import io.ratelimit.spring.internal.rule.CallLimiter.Unresolved;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The meters of one limit: those that alerts watch from the start if the limit is configured, others when they first count. Thread-safe. */
final class LimitMeters {

    private static final int MOST_PLANS = 100;

    private final MeterRegistry registry;
    private final String limit;
    private final String plan;

    /** The meters of the limit's plans, by their names, which are those of the configuration. */
    private final Map<String, LimitMeters> plans = new ConcurrentHashMap<>();

    /** Nested, because every decision would otherwise create a key of outcome and source. */
    private final Map<DecisionOutcome, Map<Source, Counter>> decisions = new EnumMap<>(DecisionOutcome.class);

    private final Counter nearLimit;

    LimitMeters(MeterRegistry registry, String limit) {
        this(registry, limit, "none");
    }

    private LimitMeters(MeterRegistry registry, String limit, String plan) {
        this.registry = registry;
        this.limit = limit;
        this.plan = plan;
        for (DecisionOutcome outcome : DecisionOutcome.values()) {
            decisions.put(outcome, new ConcurrentHashMap<>());
        }
        this.nearLimit = Counter.builder(RateLimiterMeter.NEAR_LIMIT.getName())
                .description(RateLimiterMeter.NEAR_LIMIT.description())
                .tag(Tag.LIMIT.asString(), limit)
                .register(registry);
    }

    /** Returns the meters of the limit with the numbers that it has here; {@code other} takes all plans after the first 100. */
    LimitMeters of(Limit planned) {
        if (planned.plan().isEmpty()) {
            return this;
        }
        LimitMeters known = plans.get(planned.plan().get());
        return known != null
                ? known
                : plans.computeIfAbsent(
                        plans.size() < MOST_PLANS ? planned.plan().get() : "other",
                        name -> new LimitMeters(registry, limit, name));
    }

    /**
     * Has counters begin at 0.
     *
     * @param refusal how refused decisions are counted
     * @param canFail whether the store may give no answer
     */
    void begin(DecisionOutcome refusal, boolean canFail, boolean bans) {
        for (Source source : canFail ? List.of(Source.STORE, Source.LOCAL) : List.of(Source.STORE)) {
            counter(DecisionOutcome.ALLOWED, source);
            counter(refusal, source);
        }
        if (canFail) {
            counter(DecisionOutcome.ALLOWED, Source.NONE);
            counter(DecisionOutcome.ERROR, Source.NONE);
        }
        if (bans) {
            bans();
        }
    }

    void decided(DecisionOutcome outcome, Source source) {
        counter(outcome, source).increment();
    }

    private Counter counter(DecisionOutcome outcome, Source source) {
        Map<Source, Counter> bySource = Objects.requireNonNull(decisions.get(outcome));
        Counter known = bySource.get(source);
        return known != null ? known : bySource.computeIfAbsent(source, unknown -> register(outcome, source));
    }

    void nearLimit() {
        nearLimit.increment();
    }

    void banned() {
        bans().increment();
    }

    /** Few limits have bans. */
    private Counter bans() {
        return Counter.builder(RateLimiterMeter.BANNED.getName())
                .description(RateLimiterMeter.BANNED.description())
                .tag(Tag.LIMIT.asString(), limit)
                .register(registry);
    }

    /** Registered only once a call may wait, because few do. */
    void waited(DecisionOutcome outcome, Duration waited) {
        Timer.builder(RateLimiterMeter.WAIT.getName())
                .description(RateLimiterMeter.WAIT.description())
                .tag(Tag.LIMIT.asString(), limit)
                .tag(Tag.OUTCOME.asString(), RateLimiterMeter.tagValue(outcome))
                .register(registry)
                .record(waited);
    }

    /** Registered only once something is looked up. */
    void lookedUp(LimitProvider.Outcome outcome) {
        Counter.builder(RateLimiterMeter.LOOKUPS.getName())
                .description(RateLimiterMeter.LOOKUPS.description())
                .tag(Tag.LIMIT.asString(), limit)
                .tag(Tag.OUTCOME.asString(), RateLimiterMeter.tagValue(outcome))
                .register(registry)
                .increment();
    }

    void unresolved(Unresolved reason) {
        Counter.builder(RateLimiterMeter.UNRESOLVED.getName())
                .description(RateLimiterMeter.UNRESOLVED.description())
                .tag(Tag.LIMIT.asString(), limit)
                .tag(Tag.REASON.asString(), RateLimiterMeter.tagValue(reason))
                .register(registry)
                .increment();
    }

    private Counter register(DecisionOutcome outcome, Source source) {
        return Counter.builder(RateLimiterMeter.DECISIONS.getName())
                .description(RateLimiterMeter.DECISIONS.description())
                .tag(Tag.LIMIT.asString(), limit)
                .tag(Tag.OUTCOME.asString(), RateLimiterMeter.tagValue(outcome))
                .tag(Tag.SOURCE.asString(), RateLimiterMeter.tagValue(source))
                .tag(Tag.PLAN.asString(), plan)
                .register(registry);
    }
}
