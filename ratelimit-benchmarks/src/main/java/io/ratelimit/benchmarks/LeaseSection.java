package io.ratelimit.benchmarks;

import io.ratelimit.Limit;
import java.util.ArrayList;
import java.util.List;

/** How fast a leased subject is served, and how seldom Redis is asked for it. */
final class LeaseSection implements Section {

    private static final BlockingLoad LOAD = BlockingLoad.platform(32);
    private static final int LEASE = 100;
    private static final Limit LIMIT = Limits.AMPLE.withLease(LEASE);

    @Override
    public String id() {
        return "lease";
    }

    @Override
    public Findings run(Site site) {
        site.redis().commands().flushall();
        List<Double> medians = new ArrayList<>();
        List<Double> calls = new ArrayList<>();
        List<Double> allowed = new ArrayList<>();
        Subjects one = new Subjects(1);
        Pace pace = site.pace();
        try (OwnLimiter limiter = OwnLimiter.open(site.redis(), LIMIT)) {
            LOAD.run(limiter, one, pace);
            for (int round = 0; round < pace.rounds(); round++) {
                site.redis().forgetStatistics();
                Sample sample = LOAD.run(limiter, one, pace.unsettled());
                medians.add(sample.medianMicros());
                calls.add(site.redis().scriptCalls() / sample.seconds());
                allowed.add(sample.perSecond() / LEASE + 1);
            }
        }
        String title = "Leased subject, 32 threads";
        return new Findings(
                id(),
                title,
                "A lease of %d, each thread waits for a decision before it asks for the next. Redis counts its calls by `INFO commandstats`."
                        .formatted(LEASE),
                List.of(
                        new Row(
                                "time of a decision, median",
                                new Reading("median", Unit.MICROS, medians),
                                Reading.bound(Unit.MICROS, 5),
                                Target.atMost(1)),
                        new Row(
                                "Redis calls",
                                new Reading("calls", Unit.CALLS_PER_SECOND, calls),
                                new Reading(
                                        "1/%d of decisions and one".formatted(LEASE), Unit.CALLS_PER_SECOND, allowed),
                                Target.atMost(1))),
                List.of());
    }
}
