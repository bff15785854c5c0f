package io.ratelimit.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What meters take of a decision in memory through the servlet filter, measured by JMH. */
final class MetricsSection implements Section {

    private static final String WITH = "with meters";
    private static final String WITHOUT = "without meters";

    @Override
    public String id() {
        return "metrics";
    }

    @Override
    public String network() {
        return "none";
    }

    @Override
    public String pace(Pace pace) {
        return Pace.forks(pace.forks());
    }

    @Override
    public Findings run(Site site) {
        Pace pace = site.pace();
        Map<String, Reading> nanos = Reading.each(
                Unit.NANOS,
                new Contest<Double>()
                        .add(WITH, trial(true, pace))
                        .add(WITHOUT, trial(false, pace))
                        .runCold(pace.forks()));
        String title = "Meters of a decision through the servlet filter";
        return new Findings(
                id(),
                title,
                "JMH, one thread, one route in memory, requests and responses of Spring's test kit, without a server.",
                List.of(new Row(
                        WITH,
                        Objects.requireNonNull(nanos.get(WITH)),
                        Objects.requireNonNull(nanos.get(WITHOUT)),
                        Target.atMost(1.05))),
                List.of(new BarChart(title, List.copyOf(nanos.values()))));
    }

    private static JmhTrial trial(boolean metered, Pace pace) {
        return new JmhTrial(
                FilterBenchmark.class,
                "decision",
                Map.of("metered", Boolean.toString(metered)),
                pace,
                pace.seconds() + 3);
    }
}
