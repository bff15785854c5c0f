package io.ratelimit.benchmarks;

import java.util.List;

/** Whether a decision costs Redis more the more subjects there are. */
final class RedisGrowthSection implements Section {

    static final List<Integer> SIZES = List.of(1, 10, 100, 1_000, 10_000, 1_000_000);

    /** So many requests that no bucket is full again, and forgotten, before the turn is over. */
    private static final long SPENT = Limits.PER_SECOND * 600;

    @Override
    public String id() {
        return "redis-growth";
    }

    @Override
    public Findings run(Site site) {
        try (OwnLimiter own = OwnLimiter.open(site.redis())) {
            Growth growth = Growth.measure(
                    "this library, subjects",
                    Unit.MICROS,
                    SIZES,
                    size -> trial(site, own, new Subjects(size)),
                    site.pace().rounds(),
                    true);
            String title = "Redis CPU per decision, as subjects grow";
            return new Findings(
                    id(),
                    title,
                    "`INFO commandstats` as above, of one blocking caller that asks for any of the subjects that Redis holds.",
                    growth.rows(Target.atMost(1.5)),
                    List.of(new LineChart(title, "subjects", List.of(growth.line()))));
        }
    }

    private static Trial trial(Site site, OwnLimiter own, Subjects subjects) {
        int calls = site.pace().calls();
        return () -> {
            site.redis().commands().flushall();
            Pipeline.run(subjects.count(), i -> own.tryAcquireAsync(subjects.get(i), SPENT));
            LoneCaller.medianMicros(own, subjects, calls / 10);
            site.redis().forgetStatistics();
            LoneCaller.medianMicros(own, subjects, calls);
            return site.redis().microsInScripts() / calls;
        };
    }
}
