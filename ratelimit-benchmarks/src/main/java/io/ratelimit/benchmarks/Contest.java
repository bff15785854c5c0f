package io.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Lets contenders take turns. Each round begins with another of them, and every second one runs backwards, so that none
 * always follows the same or profits from what the machine happens to do. Not thread-safe.
 *
 * @param <S> what is measured in one turn of a contender
 */
final class Contest<S> {

    /** The part of the processors' time that the machine's host may take of a round without having disturbed it. */
    static final double MOST_STOLEN = 0.03;

    private record Round<S>(Map<String, S> samples, double stolen) {

        boolean isUndisturbed() {
            return stolen <= MOST_STOLEN;
        }

        S of(String name) {
            return Objects.requireNonNull(samples.get(name));
        }
    }

    private final Map<String, Supplier<S>> trials = new LinkedHashMap<>();

    Contest<S> add(String name, Supplier<S> trial) {
        trials.put(name, trial);
        return this;
    }

    /** Runs as many rounds, after one that does not count. Returns what each contender's turns measured. */
    Map<String, List<S>> run(int rounds) {
        round(0);
        return runCold(rounds);
    }

    /**
     * As many rounds; for trials that warm up by themselves. Up to a third as many more are run for those that the
     * machine's host disturbed. The least disturbed count, whatever they measured.
     */
    Map<String, List<S>> runCold(int rounds) {
        List<Round<S>> run = new ArrayList<>();
        while (run.stream().filter(Round::isUndisturbed).count() < rounds && run.size() < rounds + (rounds - 1) / 3) {
            run.add(round(run.size()));
        }
        List<Round<S>> counting = run.stream()
                .sorted(Comparator.comparingDouble(Round::stolen))
                .limit(rounds)
                .toList();
        Map<String, List<S>> samples = new LinkedHashMap<>();
        for (String name : trials.keySet()) {
            samples.put(name, counting.stream().map(round -> round.of(name)).toList());
        }
        return samples;
    }

    private Round<S> round(int number) {
        CpuTime start = CpuTime.now();
        Map<String, S> samples = new HashMap<>();
        for (String name : order(number)) {
            samples.put(name, Objects.requireNonNull(trials.get(name)).get());
        }
        return new Round<>(samples, CpuTime.now().shareTakenSince(start));
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
