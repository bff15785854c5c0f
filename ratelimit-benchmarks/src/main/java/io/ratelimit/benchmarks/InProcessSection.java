package io.ratelimit.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Decisions without Redis, measured by JMH. */
final class InProcessSection implements Section {

    private static final int SUBJECTS = 100_000;

    @Override
    public String id() {
        return "in-memory";
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
        Map<String, Reading> nanos =
                contest(pace, Unit.NANOS, contender -> new JmhTrial("oneSubject", contender, SUBJECTS, pace));
        // eight busy threads leave the compiler little of the processors: it takes most of these seconds
        Map<String, Reading> throughput = contest(
                pace,
                Unit.DECISIONS_PER_SECOND,
                contender -> new JmhTrial("anySubjectByEightThreads", contender, SUBJECTS, pace, 5 * pace.seconds()));
        Reading ownNanos = of(nanos, InProcess.OWN);
        Reading own = of(throughput, InProcess.OWN);
        return new Findings(
                id(),
                "In memory",
                "JMH, %,d subjects, all known: one thread asks for one of them, 8 threads for any of them. Each process counts %d s, after one more to warm up, or five times as many for 8 threads."
                        .formatted(SUBJECTS, pace.seconds()),
                List.of(
                        new Row("one thread, one subject", ownNanos, Reading.bound(Unit.NANOS, 200), Target.atMost(1)),
                        new Row("one thread, one subject", ownNanos, of(nanos, InProcess.BUCKET4J), Target.atMost(1)),
                        new Row("one thread, one subject", ownNanos, of(nanos, InProcess.RESILIENCE4J), Target.none()),
                        new Row("one thread, one subject", ownNanos, of(nanos, InProcess.GUAVA), Target.none()),
                        new Row("8 threads, any subject", own, of(throughput, InProcess.BUCKET4J), Target.atLeast(1)),
                        new Row(
                                "8 threads, any subject",
                                own,
                                of(throughput, InProcess.RESILIENCE4J),
                                Target.atLeast(1)),
                        new Row("8 threads, any subject", own, of(throughput, InProcess.GUAVA), Target.none())),
                List.of(
                        new BarChart("In memory, one thread", List.copyOf(nanos.values())),
                        new BarChart("In memory, 8 threads", List.copyOf(throughput.values()))));
    }

    private static Map<String, Reading> contest(Pace pace, Unit unit, Function<InProcess, JmhTrial> trialOf) {
        Contest<Double> contest = new Contest<>();
        for (InProcess contender : InProcess.values()) {
            contest.add(contender.label, trialOf.apply(contender));
        }
        return Reading.each(unit, contest.runCold(pace.forks()));
    }

    private static Reading of(Map<String, Reading> readings, InProcess contender) {
        return Objects.requireNonNull(readings.get(contender.label));
    }
}
