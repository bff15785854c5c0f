package io.ratelimit.lab;

import io.ratelimit.Algorithm;
import io.ratelimit.benchmarks.LineChart;
import io.ratelimit.benchmarks.Reading;
import io.ratelimit.benchmarks.RedisSite;
import io.ratelimit.benchmarks.Table;
import io.ratelimit.benchmarks.Unit;
import io.ratelimit.lab.peer.OwnLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a lease costs in exactness, beside the round trips that it saves. */
final class LeaseCurve {

    private static final Rate RATE = Rate.perSecond(1_000);
    private static final int INSTANCES = 2;
    private static final int OFFERED = 1_300;
    private static final List<Integer> LEASES = List.of(1, 5, 10, 25, 50, 100);

    private final List<List<String>> rows = new ArrayList<>();
    private final List<Reading> measured = new ArrayList<>();
    private final List<Reading> bound = new ArrayList<>();

    private LeaseCurve() {}

    static LeaseCurve measure(RedisSite redis, Runner runner, int repetitions) {
        LeaseCurve curve = new LeaseCurve();
        Experiment experiment = Experiment.of(
                        "leases", "Leases", "", random -> Plans.paced(OFFERED, 3, INSTANCES, random))
                .at(RATE)
                .on(INSTANCES, Duration.ZERO);
        for (int lease : LEASES) {
            Contender contender = new Contender(
                    "lease " + lease,
                    OwnLimiter.class,
                    "sliding-window-log lease=" + lease,
                    Algorithm.SLIDING_WINDOW_LOG,
                    "",
                    Map.of());
            List<Double> over = new ArrayList<>();
            List<Double> difference = new ArrayList<>();
            double roundTrips = 0;
            double calls = 0;
            for (int repetition = 0; repetition < repetitions; repetition++) {
                redis.forgetStatistics();
                Marks marks = runner.run(experiment, List.of(contender), repetition)
                        .values()
                        .iterator()
                        .next();
                roundTrips += redis.scriptCalls();
                calls += marks.offered();
                over.add(Math.max(0, 100.0 * (marks.mostInWindow() - RATE.limit()) / RATE.limit()));
                difference.add(marks.differencePercent());
            }
            curve.add(lease, 100 * (1 - roundTrips / calls), over, difference);
        }
        return curve;
    }

    private void add(int lease, double savedPercent, List<Double> over, List<Double> difference) {
        double most = lease == 1 ? 0 : 100.0 * lease * INSTANCES / RATE.limit();
        Reading found = new Reading("measured", Unit.PERCENT, over);
        measured.add(found);
        bound.add(Reading.once("bound", Unit.PERCENT, most));
        rows.add(List.of(
                Integer.toString(lease),
                String.format(Locale.ROOT, "%.0f %%", Math.max(0, savedPercent)),
                found.text(),
                String.format(Locale.ROOT, "%.1f %%", most),
                new Reading("", Unit.PERCENT, difference).text()));
    }

    String table() {
        return Table.of(
                List.of("lease", "round trips saved", "most above the limit in any window", "bound", "whole run"),
                rows);
    }

    String how() {
        return "The log with %,d a second, %d instances, %,d calls a second for 3 s. The bound is lease × instances; Refusals are remembered with and without a lease, which saves round trips, too. `whole run` is what was admitted beside what should have been."
                .formatted(RATE.limit(), INSTANCES, OFFERED);
    }

    String svg() {
        return new LineChart(
                        "Most above the limit in any window, by lease (% of the limit)",
                        "lease",
                        List.of(
                                new LineChart.Line("measured", LEASES, measured),
                                new LineChart.Line("bound", LEASES, bound)))
                .svg();
    }
}
