package io.ratelimit.benchmarks;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Whether a decision on a full log costs Redis more the longer the log is. */
final class LogGrowthSection implements Section {

    private static final List<Integer> SIZES = List.of(100, 1_000, 10_000);
    private static final int PER_SECOND = 10_000;
    private static final String SUBJECT = "subject";

    @Override
    public String id() {
        return "log-growth";
    }

    @Override
    public Findings run(Site site) {
        site.redis().commands().flushall();
        List<Contender> open = new ArrayList<>();
        try {
            Growth own = growth(site, "this library's log, limit", size -> keep(open, ownLog(site, size)));
            Growth set = growth(site, "sorted-set log, limit", size -> keep(open, sortedSet(site, size)));
            List<Row> rows = new ArrayList<>(own.rows(Target.atMost(1.3)));
            rows.addAll(set.rows(Target.none()));
            String title = "Redis CPU per decision, as logs grow";
            return new Findings(
                    id(),
                    title,
                    "`INFO commandstats` as above. One blocking caller asks faster than the %,d a second that each limit lets through, so that the log is full and old entries leave all the time; windows are 10 ms for a limit of 100 up to 1 s for 10,000."
                            .formatted(PER_SECOND),
                    rows,
                    List.of(new LineChart(title, "limit", List.of(own.line(), set.line()))));
        } finally {
            open.forEach(Contender::close);
        }
    }

    private static Growth growth(Site site, String what, IntFunction<Contender> contenderOf) {
        return Growth.measure(
                what,
                Unit.MICROS,
                SIZES,
                size -> trial(site, contenderOf.apply(size), window(size)),
                site.pace().rounds(),
                false);
    }

    private static Contender keep(List<Contender> open, Contender contender) {
        open.add(contender);
        return contender;
    }

    private static Contender ownLog(Site site, int size) {
        Limit limit = Limit.of("log-" + size, Algorithm.SLIDING_WINDOW_LOG, size, window(size));
        return OwnLimiter.openStore(site.redis(), limit);
    }

    private static Contender sortedSet(Site site, int size) {
        return SortedSetLog.open(site.redis(), size, window(size));
    }

    private static Duration window(int size) {
        return Duration.ofNanos(1_000_000_000L / PER_SECOND * size);
    }

    private static Supplier<Double> trial(Site site, Contender contender, Duration window) {
        return () -> {
            site.redis().commands().flushall();
            ask(contender, window.plusMillis(100));
            site.redis().forgetStatistics();
            int decisions = ask(contender, site.pace().measure());
            return site.redis().microsInScripts() / decisions;
        };
    }

    private static int ask(Contender contender, Duration time) {
        long endNanos = System.nanoTime() + time.toNanos();
        int decisions = 0;
        while (System.nanoTime() < endNanos) {
            contender.tryAcquire(SUBJECT);
            decisions++;
        }
        return decisions;
    }
}
