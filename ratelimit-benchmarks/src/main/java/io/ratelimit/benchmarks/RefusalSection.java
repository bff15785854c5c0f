package io.ratelimit.benchmarks;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What a subject that is refused again and again costs Redis. */
final class RefusalSection implements Section {

    private static final int PER_SECOND = 10_000;
    private static final int SECONDS = 3;
    private static final String SUBJECT = "subject";
    private static final Limit ONE = Limit.of("one", Algorithm.TOKEN_BUCKET, 1, Duration.ofDays(1));

    @Override
    public String id() {
        return "refusals";
    }

    @Override
    public Findings run(Site site) {
        List<Double> calls = new ArrayList<>();
        List<Double> writes = new ArrayList<>();
        for (int round = 0; round < site.pace().rounds(); round++) {
            site.redis().commands().flushall();
            try (OwnLimiter limiter = OwnLimiter.open(site.redis(), ONE)) {
                limiter.tryAcquire(SUBJECT);
                site.redis().forgetStatistics();
                long before = site.redis().changes();
                refuse(limiter);
                calls.add(site.redis().scriptCalls() / SECONDS);
                writes.add((double) (site.redis().changes() - before) / SECONDS);
            }
        }
        return new Findings(
                id(),
                "A subject refused 10,000 times a second by one instance",
                "For %d s, evenly. Redis counts its calls by `INFO commandstats`, and changes by `INFO persistence`."
                        .formatted(SECONDS),
                List.of(
                        new Row(
                                "Redis calls",
                                new Reading("calls", Unit.CALLS_PER_SECOND, calls),
                                Reading.bound(Unit.CALLS_PER_SECOND, 2),
                                Target.atMost(1)),
                        new Row(
                                "changes in Redis",
                                new Reading("changes", Unit.CALLS_PER_SECOND, writes),
                                Reading.bound(Unit.CALLS_PER_SECOND, 1),
                                Target.atMost(0))),
                List.of());
    }

    private static void refuse(OwnLimiter limiter) {
        long startNanos = System.nanoTime();
        for (int i = 0; i < PER_SECOND * SECONDS; i++) {
            long dueNanos = startNanos + i * 1_000_000_000L / PER_SECOND;
            LockSupport.parkNanos(dueNanos - System.nanoTime());
            if (limiter.tryAcquire(SUBJECT)) {
                throw new IllegalStateException("a decision that should refuse has admitted");
            }
        }
    }
}
