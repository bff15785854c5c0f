package io.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** Whether a decision in memory costs more the more subjects there are. */
final class InProcessGrowthSection implements Section {

    @Override
    public String id() {
        return "memory-growth";
    }

    @Override
    public String network() {
        return "none";
    }

    @Override
    public String pace(Pace pace) {
        return Pace.forks(forks(pace));
    }

    @Override
    public Findings run(Site site) {
        Growth one = growth(site, "one known subject", "oneSubject");
        Growth any = growth(site, "any subject, in no order", "anySubject");
        List<Row> rows = new ArrayList<>(one.rows(Target.atMost(1.5)));
        rows.addAll(any.rows(Target.none()));
        String title = "In memory, as subjects grow";
        return new Findings(
                id(),
                title,
                "JMH, one thread; the size is the number of subjects known. Of any subject in no order nothing is required: the more there are, the fewer are in the processor's caches when asked for.",
                rows,
                List.of(new LineChart(title, "subjects", List.of(one.line(), any.line()))));
    }

    private static Growth growth(Site site, String what, String method) {
        return Growth.measure(
                what,
                Unit.NANOS,
                RedisGrowthSection.SIZES,
                size -> new JmhTrial(method, InProcess.OWN, size, site.pace()),
                forks(site.pace()),
                false);
    }

    private static int forks(Pace pace) {
        return Math.max(1, pace.forks() - 1);
    }
}
