package io.ratelimit.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a subject costs in this process's memory. */
final class HeapSection implements Section {

    private static final int SUBJECTS = 1_000_000;

    @Override
    public String id() {
        return "heap";
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
        Contest<Double> contest = new Contest<>();
        for (InProcess contender : List.of(InProcess.OWN, InProcess.BUCKET4J)) {
            contest.add(contender.label, () -> HeapProbe.bytesPerSubject(contender, SUBJECTS));
        }
        Map<String, Reading> bytes = Reading.each(Unit.BYTES, contest.runCold(forks(site.pace())));
        Reading own = Objects.requireNonNull(bytes.get(InProcess.OWN.label));
        Reading bucket4j = Objects.requireNonNull(bytes.get(InProcess.BUCKET4J.label));
        String title = "Heap per subject, token bucket";
        return new Findings(
                id(),
                title,
                "Heap in use after garbage collection, %,d subjects named with 12 characters, name and cache included."
                        .formatted(SUBJECTS),
                List.of(
                        new Row(own.name(), own, Reading.bound(Unit.BYTES, 250), Target.atMost(1)),
                        new Row(own.name(), own, bucket4j, Target.atMost(1))),
                List.of(new BarChart(title, List.copyOf(bytes.values()))));
    }

    private static int forks(Pace pace) {
        return Math.min(2, pace.forks());
    }
}
