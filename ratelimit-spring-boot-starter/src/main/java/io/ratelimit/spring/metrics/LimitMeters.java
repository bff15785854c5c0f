package io.ratelimit.spring.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.ratelimit.Decision.Source;
import io.ratelimit.spring.metrics.RateLimiterMeter.Tag;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The meters of one limit, each registered when it first counts. Thread-safe. */
final class LimitMeters {

    enum Outcome {
        ALLOWED,
        REFUSED,
        WOULD_REFUSE,
        ERROR
    }

    private record Answer(Outcome outcome, Source source) {}

    private final MeterRegistry registry;
    private final String limit;
    private final Map<Answer, Counter> decisions = new ConcurrentHashMap<>();
    private final Counter nearLimit;

    LimitMeters(MeterRegistry registry, String limit) {
        this.registry = registry;
        this.limit = limit;
        this.nearLimit = Counter.builder(RateLimiterMeter.NEAR_LIMIT.getName())
                .description(RateLimiterMeter.NEAR_LIMIT.description())
                .tag(Tag.LIMIT.asString(), limit)
                .register(registry);
    }

    void decided(Outcome outcome, Source source) {
        decisions.computeIfAbsent(new Answer(outcome, source), this::register).increment();
    }

    void nearLimit() {
        nearLimit.increment();
    }

    private Counter register(Answer answer) {
        return Counter.builder(RateLimiterMeter.DECISIONS.getName())
                .description(RateLimiterMeter.DECISIONS.description())
                .tag(Tag.LIMIT.asString(), limit)
                .tag(Tag.OUTCOME.asString(), tagValue(answer.outcome))
                .tag(Tag.SOURCE.asString(), tagValue(answer.source))
                .register(registry);
    }

    private static String tagValue(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
