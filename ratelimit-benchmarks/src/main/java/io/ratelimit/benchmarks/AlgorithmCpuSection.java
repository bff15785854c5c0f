package io.ratelimit.benchmarks;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** The time that Redis itself spends on a decision of each algorithm. */
final class AlgorithmCpuSection implements Section {

    private static final List<Algorithm> ALGORITHMS = List.of(
            Algorithm.FIXED_WINDOW,
            Algorithm.SLIDING_WINDOW_COUNTER,
            Algorithm.SLIDING_WINDOW_LOG,
            Algorithm.TOKEN_BUCKET);
    private static final int SUBJECTS = 1_000;

    @Override
    public String id() {
        return "algorithms";
    }

    @Override
    public Findings run(Site site) {
        site.redis().commands().flushall();
        Subjects subjects = new Subjects(SUBJECTS);
        List<Contender> open = new ArrayList<>();
        try {
            Contest<Double> contest = new Contest<>();
            open.add(GatewayScript.open(site.redis()));
            contest.add(GatewayScript.NAME, trial(site, open.get(0), subjects));
            for (Algorithm algorithm : ALGORITHMS) {
                Limit limit = Limit.of(algorithm.label(), algorithm, 1_000, Duration.ofSeconds(1));
                Contender contender = OwnLimiter.openStore(site.redis(), limit);
                open.add(contender);
                contest.add(algorithm.label(), trial(site, contender, subjects));
            }
            return findings(Reading.each(Unit.MICROS, contest.run(site.pace().rounds())));
        } finally {
            open.forEach(Contender::close);
        }
    }

    private static Supplier<Double> trial(Site site, Contender contender, Subjects subjects) {
        return () -> {
            site.redis().forgetStatistics();
            long endNanos = System.nanoTime() + site.pace().measure().toNanos();
            int decisions = 0;
            while (System.nanoTime() < endNanos) {
                contender.tryAcquire(subjects.get(decisions++ % SUBJECTS));
            }
            return site.redis().microsInScripts() / decisions;
        };
    }

    private Findings findings(Map<String, Reading> readings) {
        Reading gateway = Objects.requireNonNull(readings.get(GatewayScript.NAME));
        String title = "Redis CPU per decision of each algorithm";
        return new Findings(
                id(),
                title,
                "`INFO commandstats` as above. One blocking caller asks for %,d subjects in turn; each has 1,000 requests a second."
                        .formatted(SUBJECTS),
                ALGORITHMS.stream()
                        .map(Algorithm::label)
                        .map(label ->
                                new Row(label, Objects.requireNonNull(readings.get(label)), gateway, Target.none()))
                        .toList(),
                List.of(new BarChart(title, List.copyOf(readings.values()))));
    }
}
