package io.ratelimit.lab;

import io.ratelimit.Algorithm;
import io.ratelimit.benchmarks.Chart;
import io.ratelimit.benchmarks.CurveChart;
import io.ratelimit.benchmarks.Reading;
import io.ratelimit.benchmarks.RedisSite;
import io.ratelimit.benchmarks.Table;
import io.ratelimit.benchmarks.Unit;
import io.ratelimit.lab.peer.OwnLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** What a lease costs in exactness, beside the round trips that it saves. */
final class LeaseCurve {

    private static final int LIMIT = 1_000;
    private static final int INSTANCES = 2;
    private static final int OFFERED = 1_300;

    /** What was measured with one lease, in per cent. */
    private record Measured(int lease, Reading saved, Reading steady, Reading worst, double bound) {}

    private final List<Measured> all = new ArrayList<>();

    private LeaseCurve() {}

    static LeaseCurve measure(RedisSite redis, Runner runner, boolean quick) {
        LeaseCurve curve = new LeaseCurve();
        int repetitions = quick ? 1 : 3;
        for (int lease : quick ? List.of(1, 100) : List.of(1, 5, 10, 25, 50, 100)) {
            List<Double> saved = new ArrayList<>();
            List<Double> steady = new ArrayList<>();
            List<Double> worst = new ArrayList<>();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                redis.forgetStatistics();
                Marks marks = run(runner, lease, steadily(), repetition);
                saved.add(Math.max(0, 100 * (1 - redis.scriptCalls() / marks.offered())));
                steady.add(above(marks));
                worst.add(above(run(runner, lease, heldBack(), repetition)));
            }
            double bound = lease == 1 ? 0 : 100.0 * lease * INSTANCES / LIMIT;
            curve.all.add(new Measured(lease, percent(saved), percent(steady), percent(worst), bound));
        }
        return curve;
    }

    private static Marks run(Runner runner, int lease, Experiment experiment, int repetition) {
        Contender contender = new Contender(
                "lease " + lease,
                OwnLimiter.class,
                "sliding-window-log lease=" + lease,
                Algorithm.SLIDING_WINDOW_LOG,
                "",
                Map.of());
        return runner.run(experiment, List.of(contender), repetition)
                .values()
                .iterator()
                .next();
    }

    private static Experiment steadily() {
        return Experiment.of("leases", "Leases")
                .limit(LIMIT)
                .instances(INSTANCES)
                .plan(random -> Plans.paced(OFFERED, 3, INSTANCES, random));
    }

    /** A call to each instance, and when their leases are nearly over as many calls as each can admit. */
    private static Experiment heldBack() {
        return Experiment.of("leases", "Leases held back")
                .limit(LIMIT)
                .instances(INSTANCES)
                .plan(random -> {
                    List<Planned> calls = new ArrayList<>();
                    for (int i = 0; i < INSTANCES; i++) {
                        calls.add(Plans.at(0.15, i));
                    }
                    for (int i = 0; i < OFFERED; i++) {
                        calls.add(Plans.at(0.95 + i * 0.0005, i % INSTANCES));
                    }
                    return calls;
                });
    }

    private static double above(Marks marks) {
        return Math.max(0, 100.0 * (marks.mostInWindow() - LIMIT) / LIMIT);
    }

    private static Reading percent(List<Double> numbers) {
        return new Reading("", Unit.PERCENT, numbers);
    }

    String table() {
        return Table.of(
                List.of("lease", "round trips saved", "steady: most above the limit", "held back", "bound"),
                all.stream()
                        .map(one -> List.of(
                                Integer.toString(one.lease),
                                one.saved.text(),
                                one.steady.text(),
                                one.worst.text(),
                                String.format(Locale.ROOT, "%.1f %%", one.bound)))
                        .toList());
    }

    String how() {
        return "The log with %,d a second and %d instances. `steady`: %,d calls a second for 3 s, of which the round trips are counted. `held back`: the least favourable calls that we know, one to each instance, and 0.8 s later, while they still hold their leases, %,d in 0.65 s. Both columns are the most above the limit in any window, in per cent of it; the bound is lease × instances. Refusals are remembered with and without a lease, which saves round trips, too."
                .formatted(LIMIT, INSTANCES, OFFERED, OFFERED);
    }

    Chart chart() {
        return new CurveChart(
                "Leases: exactness against round trips saved (1,000 a second, 2 instances)",
                "round trips saved, %",
                "most above the limit in any window, %",
                List.of(
                        curve("held back", Measured::worst, true),
                        curve("steady", Measured::steady, false),
                        curve("bound", one -> percent(List.of(one.bound)), false)));
    }

    private CurveChart.Curve curve(String name, Function<Measured, Reading> reading, boolean labelled) {
        return new CurveChart.Curve(
                name,
                all.stream()
                        .map(one -> new CurveChart.Point(
                                labelled ? Integer.toString(one.lease) : "", one.saved.median(), reading.apply(one)))
                        .toList());
    }
}
