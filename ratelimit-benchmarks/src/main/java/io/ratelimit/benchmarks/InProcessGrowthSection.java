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
    public Findings run(Site site) {
        Growth own = growth(site, InProcess.OWN);
        Growth bucket4j = growth(site, InProcess.BUCKET4J);
        List<Row> rows = new ArrayList<>(own.rows(Target.atMost(1.5)));
        rows.addAll(bucket4j.rows(Target.none()));
        String title = "In memory, as subjects grow";
        return new Findings(
                id(),
                title,
                "JMH, one thread, subjects asked in no order: the more there are, the fewer are in the processor's caches.",
                rows,
                List.of(new LineChart(title, "subjects", List.of(own.line(), bucket4j.line()))));
    }

    private static Growth growth(Site site, InProcess contender) {
        return Growth.measure(
                contender.label + ", subjects",
                Unit.NANOS,
                RedisGrowthSection.SIZES,
                size -> new JmhTrial("oneThread", contender, size, site.pace()),
                Math.max(1, site.pace().forks() - 1),
                false);
    }
}
