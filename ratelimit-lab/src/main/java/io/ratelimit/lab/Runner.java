package io.ratelimit.lab;

import io.ratelimit.benchmarks.DelayProxy;
import io.ratelimit.benchmarks.RedisSite;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/** Takes contenders through experiments, all on one Redis. Not thread-safe. */
final class Runner {

    private static final long LEAD_MICROS = 300_000;

    private final RedisSite redis;
    private final long seed;
    private int runs;

    Runner(RedisSite redis, long seed) {
        this.redis = redis;
        this.seed = seed;
    }

    /** The marks of each contender that can do the experiment, from one repetition. */
    Map<Contender, Marks> run(Experiment experiment, List<Contender> contenders, int repetition) {
        List<Contender> able = contenders.stream()
                .filter(contender -> contender.cannot(experiment).isEmpty())
                .toList();
        List<Planned> plan = experiment.plan().apply(new Random(seed + repetition));
        if (experiment.roundTrip().isZero()) {
            return run(experiment, able, plan, redis);
        }
        try (DelayProxy proxy = DelayProxy.start(redis.port(), experiment.roundTrip())) {
            return run(experiment, able, plan, redis.behind(proxy.port()));
        }
    }

    private Map<Contender, Marks> run(
            Experiment experiment, List<Contender> contenders, List<Planned> plan, RedisSite site) {
        Map<Contender, Marks> marks = new LinkedHashMap<>();
        for (int first = 0; first < contenders.size(); first += Math.min(experiment.atOnce(), contenders.size())) {
            int last = Math.min(contenders.size() - first, experiment.atOnce()) + first;
            marks.putAll(together(experiment, contenders.subList(first, last), plan, site));
        }
        return marks;
    }

    private Map<Contender, Marks> together(
            Experiment experiment, List<Contender> contenders, List<Planned> plan, RedisSite site) {
        experiment.incident().prepare(redis);
        StoreClock clock = StoreClock.of(redis.commands());
        Map<Contender, Run> all = new LinkedHashMap<>();
        for (Contender contender : contenders) {
            Setup setup = new Setup(site, experiment.rate(), contender.variant(), clock, new ConcurrentHashMap<>());
            all.put(contender, new Run(contender, experiment, setup, plan, "lab" + ++runs));
        }
        long startMicros = nextBoundary(experiment, clock);
        all.values().forEach(run -> run.start(startMicros));
        incident(experiment, plan, clock, startMicros);
        Map<Contender, Marks> marks = new LinkedHashMap<>();
        all.forEach((contender, run) -> {
            List<Call> calls = run.end(startMicros);
            marks.put(contender, Marks.of(plan, calls, Oracle.of(contender.promise(), experiment.rate())));
        });
        List<Run> ended = new ArrayList<>(all.values());
        ended.forEach(Run::close);
        return marks;
    }

    private static long nextBoundary(Experiment experiment, StoreClock clock) {
        long windowMicros = experiment.rate().windowMicros();
        return ((clock.nowMicros() + LEAD_MICROS) / windowMicros + 1) * windowMicros;
    }

    private void incident(Experiment experiment, List<Planned> plan, StoreClock clock, long startMicros) {
        long halfMicros = plan.get(plan.size() - 1).atMicros() / 2;
        Pauses.millis(Math.max(0, (startMicros + halfMicros - clock.nowMicros()) / 1_000));
        experiment.incident().happen(redis);
    }
}
