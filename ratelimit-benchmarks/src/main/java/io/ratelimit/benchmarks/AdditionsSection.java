package io.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Measures what meters, a plan and numbers of a provider add to a decision in memory through the servlet filter, by JMH. */
final class AdditionsSection implements Section {

    /** Processes of one contender differ by as much as the additions may add, so that it takes more of them than elsewhere. */
    private static final int TIMES_FORKS = 3;

    @Override
    public String id() {
        return "additions";
    }

    @Override
    public String network() {
        return "none";
    }

    @Override
    public String pace(Pace pace) {
        return Pace.forks(TIMES_FORKS * pace.forks());
    }

    @Override
    public Findings run(Site site) {
        Pace pace = site.pace();
        Contest<Double> contest = new Contest<>();
        for (FilterBenchmark.Addition addition : FilterBenchmark.Addition.values()) {
            contest.add(addition.text, trial(addition, pace));
        }
        Map<String, Reading> nanos = Reading.each(Unit.NANOS, contest.runCold(TIMES_FORKS * pace.forks()));
        Reading without = Objects.requireNonNull(nanos.get(FilterBenchmark.Addition.NOTHING.text));
        List<Row> rows = new ArrayList<>();
        for (FilterBenchmark.Addition addition : EnumSet.complementOf(EnumSet.of(FilterBenchmark.Addition.NOTHING))) {
            rows.add(new Row(
                    addition.text, Objects.requireNonNull(nanos.get(addition.text)), without, Target.atMost(1.05)));
        }
        String title = "What is added to a decision through the servlet filter";
        return new Findings(
                id(),
                title,
                "JMH, one thread, one route in memory, requests and responses of Spring's test kit, without a server.",
                rows,
                List.of(new BarChart(title, List.copyOf(nanos.values()))));
    }

    private static JmhTrial trial(FilterBenchmark.Addition addition, Pace pace) {
        return new JmhTrial(
                FilterBenchmark.class, "decision", Map.of("with", addition.name()), pace, pace.seconds() + 3);
    }
}
