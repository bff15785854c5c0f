package io.ratelimit.benchmarks;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What was measured of one contender. Immutable.
 *
 * @param rounds one number for each round, in their order; a single one holds for any round
 */
public record Reading(String name, Unit unit, List<Double> rounds) {

    public Reading {
        if (rounds.isEmpty()) {
            throw new IllegalArgumentException("'%s' was never measured".formatted(name));
        }
        rounds = List.copyOf(rounds);
    }

    /** A number that nobody measured, to hold a measured one against. */
    static Reading bound(Unit unit, double value) {
        return new Reading("fixed bound", unit, List.of(value));
    }

    public static Reading once(String name, Unit unit, double value) {
        return new Reading(name, unit, List.of(value));
    }

    /** One reading for each contender of a contest. */
    static <S> Map<String, Reading> each(Unit unit, Map<String, List<S>> rounds, ToDoubleFunction<S> number) {
        Map<String, Reading> readings = new LinkedHashMap<>();
        rounds.forEach((name, samples) -> readings.put(
                name,
                new Reading(
                        name, unit, samples.stream().mapToDouble(number).boxed().toList())));
        return readings;
    }

    static Map<String, Reading> each(Unit unit, Map<String, List<Double>> rounds) {
        return each(unit, rounds, Double::doubleValue);
    }

    /**
     * The ratio of each round of this to the same round of the other: what the machine did in a round, it did to both.
     *
     * @throws IllegalArgumentException if both have several rounds, and not equally many
     */
    Reading over(Reading beside) {
        return with(beside, "%s over %s".formatted(name, beside.name), Unit.RATIO, (one, other) -> one / other);
    }

    /** Returns what each round of this has more than the same round of the other; throws as {@link #over} does. */
    Reading beyond(Reading beside) {
        return with(beside, name, unit, (one, other) -> one - other);
    }

    private Reading with(Reading beside, String named, Unit in, DoubleBinaryOperator operator) {
        int count = Math.max(rounds.size(), beside.rounds.size());
        return new Reading(
                named,
                in,
                IntStream.range(0, count)
                        .mapToObj(round -> operator.applyAsDouble(inRound(round, count), beside.inRound(round, count)))
                        .toList());
    }

    private double inRound(int round, int count) {
        if (rounds.size() != 1 && rounds.size() != count) {
            throw new IllegalArgumentException("'%s' has %d rounds of %d".formatted(name, rounds.size(), count));
        }
        return rounds.get(rounds.size() == 1 ? 0 : round);
    }

    public double median() {
        List<Double> sorted = rounds.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    public double low() {
        return Collections.min(rounds);
    }

    public double high() {
        return Collections.max(rounds);
    }

    /** The median, and behind it the lowest and the highest where they differ. */
    public String text() {
        String median = unit.text(median());
        return low() == high() ? median : "%s (%s to %s)".formatted(median, unit.number(low()), unit.number(high()));
    }
}
