package io.ratelimit.benchmarks;

import java.util.List;

/** What several rounds measured of one contender. Immutable. */
record Reading(String name, Unit unit, List<Double> samples) {

    Reading {
        if (samples.isEmpty()) {
            throw new IllegalArgumentException("'%s' was never measured".formatted(name));
        }
        samples = samples.stream().sorted().toList();
    }

    /** A number that nobody measured, to hold a measured one against. */
    static Reading bound(Unit unit, double value) {
        return new Reading("fixed bound", unit, List.of(value));
    }

    static Reading once(String name, Unit unit, double value) {
        return new Reading(name, unit, List.of(value));
    }

    double median() {
        int middle = samples.size() / 2;
        return samples.size() % 2 == 1 ? samples.get(middle) : (samples.get(middle - 1) + samples.get(middle)) / 2;
    }

    double low() {
        return samples.get(0);
    }

    double high() {
        return samples.get(samples.size() - 1);
    }

    /** The median, and behind it the lowest and the highest where they differ. */
    String text() {
        String median = unit.text(median());
        return low() == high() ? median : "%s (%s to %s)".formatted(median, unit.number(low()), unit.number(high()));
    }
}
