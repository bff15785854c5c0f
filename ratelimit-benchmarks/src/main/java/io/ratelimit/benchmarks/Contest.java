package io.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Lets contenders take turns. Each round begins with another of them, and every second one runs backwards, so that none
 * always follows the same or profits from what the machine happens to do. Not thread-safe.
 */
final class Contest {

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

    /** As many rounds; for trials that warm up by themselves. */
    Map<String, Reading> runCold(int rounds) {
        Map<String, List<Double>> samples = new LinkedHashMap<>();
        trials.keySet().forEach(name -> samples.put(name, new ArrayList<>()));
        for (int round = 0; round < rounds; round++) {
            for (String name : order(round)) {
                Trial trial = Objects.requireNonNull(trials.get(name));
                Objects.requireNonNull(samples.get(name)).add(trial.measure());
            }
        }
        Map<String, Reading> readings = new LinkedHashMap<>();
        samples.forEach((name, values) -> readings.put(name, new Reading(name, unit, values)));
        return readings;
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
