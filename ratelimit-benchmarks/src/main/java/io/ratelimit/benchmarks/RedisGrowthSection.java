package io.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Whether a decision costs Redis more the more subjects there are. Each number of them has a database of its own. */
final class RedisGrowthSection implements Section {

    static final List<Integer> SIZES = List.of(1, 10, 100, 1_000, 10_000, 1_000_000);

    /** So many requests that no bucket is full again, and forgotten, before the section is over. */
    private static final long SPENT = Limits.PER_SECOND * 7_200;

    @Override
    public String id() {
        return "redis-growth";
    }

    @Override
    public Findings run(Site site) {
        site.redis().commands().flushall();
        List<OwnLimiter> open = new ArrayList<>();
        try {
            Growth growth = Growth.measure(
                    "this library, subjects",
                    Unit.MICROS,
                    SIZES,
                    size -> {
                        OwnLimiter own = OwnLimiter.openIn(site.redis(), open.size());
                        open.add(own);
                        return trial(site, own, known(own, size));
                    },
                    site.pace().rounds(),
                    true);
            String title = "Redis CPU per decision, as subjects grow";
            return new Findings(
                    id(),
                    title,
                    "`INFO commandstats` as above, of one blocking caller that asks for any of the subjects that Redis knows.",
                    growth.rows(Target.atMost(1.5)),
                    List.of(new LineChart(title, "subjects", List.of(growth.line()))));
        } finally {
            open.forEach(Contender::close);
        }
    }

    private static Subjects known(OwnLimiter own, int size) {
        Subjects subjects = new Subjects(size);
        Pipeline.run(size, 1_000, i -> own.tryAcquireAsync(subjects.get(i), SPENT));
        return subjects;
    }

    private static Supplier<Double> trial(Site site, OwnLimiter own, Subjects subjects) {
        int calls = site.pace().calls();
        return () -> {
            ask(own, subjects, calls / 10);
            site.redis().forgetStatistics();
            ask(own, subjects, calls);
            return site.redis().microsInScripts() / calls;
        };
    }

    private static void ask(OwnLimiter own, Subjects subjects, int calls) {
        for (int i = 0; i < calls; i++) {
            own.tryAcquire(subjects.any());
        }
    }
}
