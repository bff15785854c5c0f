package io.ratelimit.spring.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RateLimiterMetricsTest {

    private static final Limit FIVE = limit("five", 5);
    private static final Limit TWO = limit("two", 2);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RateLimiterMetrics metrics = new RateLimiterMetrics(false, 80);
    private final RateLimiter limiter = InMemoryRateLimiter.create();

    @BeforeEach
    void bind() {
        metrics.bindTo(registry);
    }

    @Test
    void countsEachLimitOfADecision() {
        decide(Acquisition.of(FIVE, "alice").and(TWO, "alice"), 3);

        assertThat(decisions())
                .isEqualTo(Map.of("five allowed store", 2.0, "two allowed store", 2.0, "two refused store", 1.0));
    }

    @Test
    void countsInEveryRegistryThatItIsBoundTo() {
        decide(Acquisition.of(FIVE, "alice"), 1);
        SimpleMeterRegistry second = new SimpleMeterRegistry();
        metrics.bindTo(second);
        decide(Acquisition.of(FIVE, "alice"), 2);

        assertThat(decisions()).isEqualTo(Map.of("five allowed store", 3.0));
        assertThat(second.get("rate.limiter.decisions").counter().count()).isEqualTo(2);
    }

    @Test
    void countersOfConfiguredLimitsBeginAtZeroInEveryRegistry() {
        metrics.begin(List.of(FIVE), true);

        assertThat(decisions())
                .isEqualTo(Map.of(
                        "five allowed store", 0.0,
                        "five refused store", 0.0,
                        "five allowed local", 0.0,
                        "five refused local", 0.0,
                        "five allowed none", 0.0,
                        "five error none", 0.0));
        SimpleMeterRegistry second = new SimpleMeterRegistry();
        metrics.bindTo(second);
        assertThat(second.find("rate.limiter.decisions").counters()).hasSize(6);
        decide(Acquisition.of(FIVE, "alice"), 1);
        assertThat(decisions()).hasSize(6).containsEntry("five allowed store", 1.0);
    }

    @Test
    void countsFromTheWarningOnAsNearTheLimit() {
        decide(Acquisition.of(FIVE, "alice"), 3);
        assertThat(nearLimit("five")).isZero();

        decide(Acquisition.of(FIVE, "alice"), 3);
        assertThat(nearLimit("five")).isEqualTo(2);
    }

    @Test
    void saysWhoDecidedDuringAnOutage() {
        Acquisition acquisition = Acquisition.of(FIVE, "alice");
        metrics.onDecision(acquisition, limiter.acquire(acquisition).from(Decision.Source.LOCAL));
        metrics.onDecision(acquisition, Decision.unanswered());
        metrics.onFailure(acquisition, new StoreUnavailableException("away"));

        assertThat(decisions())
                .isEqualTo(Map.of("five allowed local", 1.0, "five allowed none", 1.0, "five error none", 1.0));
    }

    @Test
    void timesCallsThatMayWaitForEachOfTheirLimits() {
        Acquisition both = Acquisition.of(FIVE, "alice").and(TWO, "alice", 2);
        metrics.onWaited(both, limiter.acquire(both), Duration.ofSeconds(2));
        metrics.onWaited(both, limiter.acquire(both), Duration.ofSeconds(1));

        assertThat(registry.find("rate.limiter.wait").timers())
                .extracting(timer -> "%s %s %.0f s"
                        .formatted(
                                timer.getId().getTag("limit"),
                                timer.getId().getTag("outcome"),
                                timer.totalTime(TimeUnit.SECONDS)))
                .containsExactlyInAnyOrder(
                        "five allowed 2 s", "two allowed 2 s", "five refused 1 s", "two refused 1 s");
    }

    @Test
    void reportOnlyWouldRefuse() {
        RateLimiterMetrics reporting = new RateLimiterMetrics(true, 80);
        reporting.bindTo(registry);
        Acquisition three = Acquisition.of(TWO, "alice", 2);
        limiter.acquire(three);
        reporting.onDecision(three, limiter.acquire(three));

        assertThat(decisions()).isEqualTo(Map.of("two would-refuse store", 1.0));
    }

    @Test
    void aLimitThatOnlyReportsWouldRefuse() {
        try (RateLimiterStack stack =
                RateLimiterStack.inMemory().listener(metrics).build()) {
            Acquisition both = Acquisition.of(FIVE, "alice").and(TWO.withReportOnly(), "alice");
            for (int i = 0; i < 6; i++) {
                stack.acquire(both);
            }
        }

        assertThat(decisions())
                .isEqualTo(Map.of(
                        "five allowed store", 5.0,
                        "five refused store", 1.0,
                        "two allowed store", 2.0,
                        "two would-refuse store", 3.0));
    }

    @Test
    void countsWhatABanRefuses() {
        Limit banning = TWO.withBan(2, Duration.ofMinutes(10), Duration.ofDays(1));
        decide(Acquisition.of(banning, "alice"), 3);
        assertThat(registry.find("rate.limiter.banned").counter()).isNull();

        decide(Acquisition.of(banning, "alice"), 3);

        assertThat(decisions()).isEqualTo(Map.of("two allowed store", 2.0, "two refused store", 4.0));
        assertThat(registry.get("rate.limiter.banned")
                        .tag("limit", "two")
                        .counter()
                        .count())
                .isEqualTo(3);
    }

    @Test
    void namesThatNeverEndShareOneTag() {
        for (int i = 0; i < 1_500; i++) {
            decide(Acquisition.of(limit("plan-" + i, 5), "alice"), 1);
        }

        assertThat(decisions()).hasSize(1_001).containsEntry("other allowed store", 500.0);
    }

    @Test
    void noTagHoldsASubject() {
        decide(Acquisition.of(TWO, "alice"), 5);

        assertThat(registry.getMeters())
                .extracting(Meter::getId)
                .isNotEmpty()
                .noneMatch(id -> id.toString().contains("alice"));
    }

    private void decide(Acquisition acquisition, int times) {
        for (int i = 0; i < times; i++) {
            metrics.onDecision(acquisition, limiter.acquire(acquisition));
        }
    }

    private Map<String, Double> decisions() {
        Map<String, Double> counts = new TreeMap<>();
        for (Counter counter : registry.find("rate.limiter.decisions").counters()) {
            Meter.Id id = counter.getId();
            counts.put(id.getTag("limit") + " " + id.getTag("outcome") + " " + id.getTag("source"), counter.count());
        }
        return counts;
    }

    private double nearLimit(String limit) {
        return registry.get("rate.limiter.near.limit")
                .tag("limit", limit)
                .counter()
                .count();
    }

    private static Limit limit(String name, long maxRequests) {
        return Limit.of(name, Algorithm.SLIDING_WINDOW_LOG, maxRequests, Duration.ofHours(1));
    }
}
