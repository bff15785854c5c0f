package io.ratelimit.lab;

import io.ratelimit.benchmarks.RedisSite;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** All experiments, in the order of the report. A new one is one more entry here. */
final class Experiments {

    private static final long[] COSTS = {1, 1, 1, 2, 5, 20, 100};
    private static final Duration HOUR = Duration.ofHours(1);

    private Experiments() {}

    static List<Experiment> all(boolean quick) {
        double seconds = quick ? 3 : 6;
        return Stream.of(traffic(seconds), deployments(seconds), incidents(quick))
                .flatMap(List::stream)
                .toList();
    }

    private static List<Experiment> traffic(double seconds) {
        return List.of(
                Experiment.of(
                        "below",
                        "Steadily below the limit",
                        "80 calls a second.",
                        random -> Plans.paced(80, seconds, 1, random)),
                Experiment.of(
                        "above",
                        "Steadily above the limit",
                        "150 calls a second.",
                        random -> Plans.paced(150, seconds, 1, random)),
                Experiment.of(
                                "burst",
                                "Burst",
                                "300 calls at once, 0.3 s after a boundary of windows of the clock, and again 0.5 s and 1.5 s later; 16 callers.",
                                random -> Plans.bursts(300, 1, 0.3, 0.8, 1.8))
                        .apart(16),
                Experiment.of(
                                "boundary",
                                "Burst on both sides of a boundary",
                                "100 calls 0.15 s before a boundary of windows of the clock, and 100 calls 0.02 s after it; 8 callers.",
                                random -> Plans.bursts(100, 1, 0.85, 1.02))
                        .apart(8),
                Experiment.of(
                        "on-off",
                        "On and off at the window's length",
                        "200 calls a second for a second, then none for a second.",
                        random -> Plans.varying(second -> (long) second % 2 == 0 ? 200 : 0, seconds, 1, random)),
                Experiment.of(
                        "ramp",
                        "Ramp",
                        "From none to 300 calls a second, evenly.",
                        random -> Plans.varying(second -> 300 * second / seconds, seconds, 1, random)),
                Experiment.of(
                                "costs",
                                "Mixed costs",
                                "50 calls a second at random costs of 1 (three in seven), 2, 5, 20 and 100, the limit itself.",
                                random -> Plans.withCosts(
                                        Plans.paced(50, seconds, 1, random),
                                        any -> COSTS[any.nextInt(COSTS.length)],
                                        random))
                        .needing(Need.COSTS),
                Experiment.of(
                                "zipf",
                                "Many subjects by Zipf's law",
                                "200 subjects with a limit of 20 a second each, 400 calls a second. Admitted, oracle and difference are sums over the subjects; the worst window is that of the worst subject.",
                                random -> Plans.withSubjects(
                                        Plans.paced(400, seconds, 1, random), call -> Plans.zipf(200, random)))
                        .at(Rate.perSecond(20))
                        .needing(Need.SUBJECTS));
    }

    private static List<Experiment> deployments(double seconds) {
        return List.of(
                Experiment.of(
                                "two",
                                "Two instances",
                                "200 calls a second, half to each.",
                                random -> Plans.paced(200, seconds, 2, random))
                        .on(2, Duration.ZERO),
                Experiment.of(
                                "four",
                                "Four instances",
                                "200 calls a second, a quarter to each.",
                                random -> Plans.paced(200, seconds, 4, random))
                        .on(4, Duration.ZERO),
                Experiment.of(
                                "ahead",
                                "Two instances, one clock an hour ahead",
                                "200 calls a second, half to each. What the second instance reads as the time is an hour ahead.",
                                random -> Plans.paced(200, seconds, 2, random))
                        .on(2, HOUR),
                Experiment.of(
                                "behind",
                                "Two instances, one clock an hour behind",
                                "200 calls a second, half to each. What the second instance reads as the time is an hour behind.",
                                random -> Plans.paced(200, seconds, 2, random))
                        .on(2, HOUR.negated()),
                Experiment.of(
                                "network-1ms",
                                "Network of 1 ms",
                                "150 calls a second, through a proxy with a round trip of 1 ms.",
                                random -> Plans.paced(150, seconds, 1, random))
                        .over(Duration.ofMillis(1)),
                Experiment.of(
                                "network-50ms",
                                "Network of 50 ms",
                                "150 calls a second by 32 callers, through a proxy with a round trip of 50 ms.",
                                random -> Plans.paced(150, seconds, 1, random))
                        .over(Duration.ofMillis(50)),
                Experiment.of(
                                "apisix",
                                "APISIX's experiment",
                                "Two instances, a limit of 500 a second, 800 calls a second for %.0f s. APISIX measured itself with it: +18 %% before a fix of its delayed synchronisation, -12 %% after it (see the claims above)."
                                        .formatted(seconds > 3 ? 30 : seconds),
                                random -> Plans.paced(800, seconds > 3 ? 30 : seconds, 2, random))
                        .at(Rate.perSecond(500))
                        .on(2, Duration.ZERO));
    }

    private static List<Experiment> incidents(boolean quick) {
        double seconds = quick ? 3 : 5;
        return List.of(
                Experiment.of(
                                "flushed",
                                "Redis flushed",
                                "150 calls a second; half-way `FLUSHALL`. What Redis counted is gone, so the limit may be used once more.",
                                (Random random) -> Plans.paced(150, seconds, 1, random))
                        .with(redis -> redis.commands().flushall()),
                Experiment.of(
                                "restarted",
                                "Redis killed and started again",
                                "150 calls a second; half-way Redis is killed and started empty on the same port. A call without an answer after 5 s failed.",
                                (Random random) -> Plans.paced(150, seconds, 1, random))
                        .with(RedisSite::restart));
    }
}
