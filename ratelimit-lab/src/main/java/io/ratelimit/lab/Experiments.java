package io.ratelimit.lab;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** All experiments, in the order of the report. A new one is one more entry here. */
final class Experiments {

    private static final long[] COSTS = {1, 1, 1, 2, 5, 20, 100};
    private static final Duration HOUR = Duration.ofHours(1);

    private final double seconds;
    private final double longSeconds;
    private final double incidentSeconds;

    private Experiments(boolean quick) {
        seconds = quick ? 2 : 6;
        longSeconds = quick ? 3 : 30;
        incidentSeconds = quick ? 3 : 5;
    }

    static List<Experiment> all(boolean quick) {
        Experiments all = new Experiments(quick);
        return Stream.of(all.steady(), all.uneven(), all.unlike(), all.instances(), all.clocks(), all.redis())
                .flatMap(List::stream)
                .toList();
    }

    private List<Experiment> steady() {
        return List.of(
                paced(Experiment.of("below", "Steadily below the limit").how("80 calls a second."), 80),
                paced(Experiment.of("above", "Steadily above the limit").how("150 calls a second."), 150));
    }

    private List<Experiment> uneven() {
        return List.of(
                Experiment.of("burst", "Burst")
                        .how("300 calls at once, 0.3 s after a boundary of windows of the clock, and again 0.5 s and"
                                + " 1.5 s later; 16 callers.")
                        .apart()
                        .callers(16)
                        .plan(random -> Plans.bursts(300, 0.3, 0.8, 1.8)),
                Experiment.of("boundary", "Burst on both sides of a boundary")
                        .how("100 calls 0.15 s before a boundary of windows of the clock, and 100 calls 0.02 s after"
                                + " it; 8 callers.")
                        .apart()
                        .pictured()
                        .plan(random -> Plans.bursts(100, 0.85, 1.02)),
                Experiment.of("on-off", "On and off at the window's length")
                        .how("200 calls a second for a second, then none for a second.")
                        .plan(random -> Plans.varying(second -> (long) second % 2 == 0 ? 200 : 0, seconds, 1, random)),
                Experiment.of("ramp", "Ramp")
                        .how("From none to 300 calls a second, evenly.")
                        .plan(random -> Plans.varying(second -> 300 * second / seconds, seconds, 1, random)));
    }

    private List<Experiment> unlike() {
        return List.of(
                Experiment.of("costs", "Mixed costs")
                        .how("50 calls a second at random costs of 1 (three in seven), 2, 5, 20 and 100, the limit"
                                + " itself.")
                        .needs(Need.COSTS)
                        .plan(random -> Plans.each(
                                Plans.paced(50, seconds, 1, random),
                                call -> call.costing(COSTS[random.nextInt(COSTS.length)]))),
                Experiment.of("tokens", "LiteLLM's experiment: estimates that are wrong by a factor of 2")
                        .how("100 tokens a second, five calls at a time, ten times a second. A call asks for 5 to 20"
                                + " tokens, takes 50 ms if it is admitted, and has really taken half or twice as many;"
                                + " then what it was charged is corrected to that. All figures are of real tokens."
                                + " `should be`: had each cost been known in advance. In a window at most the limit is"
                                + " charged, and five calls may be under way that take twice what they were charged:"
                                + " up to 100 tokens more. LiteLLM's users saw 663 tokens of a limit of 100 (see the"
                                + " claims above).")
                        .callers(5)
                        .underestimated(100)
                        .plan(random -> Plans.each(
                                Plans.fives(seconds),
                                call -> estimated(call, random.nextInt(5, 21), random.nextInt(2)))),
                Experiment.of("zipf", "Many subjects by Zipf's law")
                        .how("200 subjects with a limit of 20 a second each, 400 calls a second. Admitted, oracle and"
                                + " difference are sums over the subjects; the worst window is that of the worst"
                                + " subject.")
                        .limit(20)
                        .needs(Need.SUBJECTS)
                        .plan(random -> Plans.each(
                                Plans.paced(400, seconds, 1, random),
                                call -> call.ofSubject(Plans.zipf(200, random)))));
    }

    private static Planned estimated(Planned call, long estimate, int twice) {
        return call.estimated(estimate, twice == 1 ? 2 * estimate : estimate / 2);
    }

    private List<Experiment> instances() {
        return List.of(
                paced(
                        Experiment.of("two", "Two instances")
                                .how("200 calls a second, half to each.")
                                .instances(2),
                        200),
                paced(
                        Experiment.of("four", "Four instances")
                                .how("200 calls a second, a quarter to each.")
                                .instances(4),
                        200),
                Experiment.of("apisix", "APISIX's experiment")
                        .how(
                                "Two instances, a limit of 500 a second, 800 calls a second for %.0f s. APISIX measured itself with it: +18 %% before a fix of its delayed synchronisation, -12 %% after it (see the claims above)."
                                        .formatted(longSeconds))
                        .limit(500)
                        .instances(2)
                        .plan(random -> Plans.paced(800, longSeconds, 2, random)));
    }

    private List<Experiment> clocks() {
        return List.of(
                clock("ahead", "one clock an hour ahead", "is an hour ahead.", ClockError.ahead(HOUR)),
                clock("behind", "one clock an hour behind", "is an hour behind.", ClockError.ahead(HOUR.negated())),
                clock(
                        "drifting",
                        "one clock that drifts",
                        "gains 0.1 s each second: far more than a real clock, so that seconds show what would take days.",
                        ClockError.gaining(0.1)));
    }

    private Experiment clock(String id, String title, String how, ClockError error) {
        return paced(
                Experiment.of(id, "Two instances, " + title)
                        .how("200 calls a second, half to each. What the second instance reads as the time " + how)
                        .instances(2)
                        .lastClock(error),
                200);
    }

    private List<Experiment> redis() {
        return List.of(
                paced(
                        Experiment.of("network-1ms", "Network of 1 ms")
                                .how("150 calls a second, through a proxy with a round trip of 1 ms.")
                                .roundTrip(Duration.ofMillis(1)),
                        150),
                paced(
                        Experiment.of("network-50ms", "Network of 50 ms")
                                .how("150 calls a second by 32 callers, through a proxy with a round trip of 50 ms.")
                                .roundTrip(Duration.ofMillis(50))
                                .callers(32),
                        150),
                happening(
                        Experiment.of("flushed", "Redis flushed")
                                .how("150 calls a second; half-way `FLUSHALL`. What Redis counted is gone, so the limit"
                                        + " may be used once more."),
                        redis -> redis.commands().flushall()),
                happening(
                        Experiment.of("restarted", "Redis killed and started again")
                                .how("150 calls a second; half-way Redis is killed and started empty on the same port."
                                        + " A call without an answer after 5 s failed."),
                        Incident.outage(0)),
                happening(
                        Experiment.of("failed-over", "Redis failed over to a replica")
                                .how(("150 calls a second; half-way Redis is killed, and its replica takes over on the"
                                                + " same port. Replication is %d ms behind, so what was admitted last is not"
                                                + " counted: the difference is the extra admissions of the failover.")
                                        .formatted(Failover.REPLICATION_ROUND_TRIP.toMillis() / 2)),
                        new Failover()),
                happening(
                        Experiment.of("outage", "Redis gone for a second")
                                .how("Two instances, 300 calls a second, half to each; half-way Redis is killed, and"
                                        + " started empty on the same port a second later. Meanwhile this library"
                                        + " decides by `on-store-failure: local`: each instance admits the limit by"
                                        + " itself.")
                                .instances(2),
                        Incident.outage(1_000)));
    }

    private Experiment paced(Experiment.Builder experiment, double perSecond) {
        return paced(experiment, perSecond, seconds);
    }

    private Experiment happening(Experiment.Builder experiment, Incident incident) {
        return paced(experiment.incident(incident), 150 * experiment.instances(), incidentSeconds);
    }

    private static Experiment paced(Experiment.Builder experiment, double callsASecond, double length) {
        int instances = experiment.instances();
        return experiment.plan(random -> Plans.paced(callsASecond, length, instances, random));
    }
}
