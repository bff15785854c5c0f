package io.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Lets contenders take turns. Each round begins with another of them, and every second one runs backwards, so that none
 * always follows the same or profits from what the machine happens to do. Not thread-safe.
 */
final class Contest {

    /** The part of the processors' time that the machine's host may take of a round without having disturbed it. */
    static final double MOST_STOLEN = 0.03;

    private record Round(Map<String, Double> samples, double stolen) {

        boolean isUndisturbed() {
            return stolen <= MOST_STOLEN;
        }

        double of(String name) {
            return Objects.requireNonNull(samples.get(name));
        }
    }

    private final Unit unit;
    private final Map<String, Trial> trials = new LinkedHashMap<>();

    Contest(Unit unit) {
        this.unit = unit;
    }

    Contest add(String name, Trial trial) {
        trials.put(name, trial);
        return this;
    }

    /** As many rounds, after one that does not count. */
    Map<String, Reading> run(int rounds) {
        trials.values().forEach(Trial::measure);
        return runCold(rounds);
    }

    /**
     * As many rounds; for trials that warm up by themselves. Up to a third as many more are run for those that the
     * machine's host disturbed. The least disturbed count, whatever they measured.
     */
    Map<String, Reading> runCold(int rounds) {
        List<Round> run = new ArrayList<>();
        while (run.stream().filter(Round::isUndisturbed).count() < rounds && run.size() < rounds + (rounds - 1) / 3) {
            run.add(round(run.size()));
        }
        List<Round> counting = run.stream()
                .sorted(Comparator.comparingDouble(Round::stolen))
                .limit(rounds)
                .toList();
        Map<String, Reading> readings = new LinkedHashMap<>();
        for (String name : trials.keySet()) {
            readings.put(
                    name,
                    new Reading(
                            name,
                            unit,
                            counting.stream().map(round -> round.of(name)).toList()));
        }
        return readings;
    }

    private Round round(int number) {
        CpuTime start = CpuTime.now();
        Map<String, Double> samples = new HashMap<>();
        for (String name : order(number)) {
            samples.put(name, Objects.requireNonNull(trials.get(name)).measure());
        }
        return new Round(samples, CpuTime.now().shareTakenSince(start));
    }

    private List<String> order(int round) {
        List<String> order = new ArrayList<>(trials.keySet());
        Collections.rotate(order, -round);
        if (round % 2 == 1) {
            Collections.reverse(order);
        }
        return order;
    }
}
