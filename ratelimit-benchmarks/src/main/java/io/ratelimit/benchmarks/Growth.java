package io.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** The same measured at several sizes, which take turns like contenders. */
final class Growth {

    private final String what;
    private final List<Integer> sizes;
    private final List<Reading> readings;

    private Growth(String what, List<Integer> sizes, List<Reading> readings) {
        this.what = what;
        this.sizes = sizes;
        this.readings = readings;
    }

    /** Measures after a round that does not count if {@code warmUp}, else from the first. */
    static Growth measure(
            String what,
            Unit unit,
            List<Integer> sizes,
            IntFunction<Supplier<Double>> trialOf,
            int rounds,
            boolean warmUp) {
        Contest<Double> contest = new Contest<>();
        sizes.forEach(size -> contest.add("at %,d".formatted(size), trialOf.apply(size)));
        var samples = warmUp ? contest.run(rounds) : contest.runCold(rounds);
        return new Growth(what, sizes, List.copyOf(Reading.each(unit, samples).values()));
    }

    /** Each larger size beside the smallest. */
    List<Row> rows(Target target) {
        List<Row> rows = new ArrayList<>();
        for (int i = 1; i < sizes.size(); i++) {
            rows.add(new Row("%s, at %,d".formatted(what, sizes.get(i)), readings.get(i), readings.get(0), target));
        }
        return rows;
    }

    LineChart.Line line() {
        return new LineChart.Line(what, sizes, readings);
    }
}
