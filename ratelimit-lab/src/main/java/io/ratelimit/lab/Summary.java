package io.ratelimit.lab;

import io.ratelimit.benchmarks.Reading;
import io.ratelimit.benchmarks.Unit;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** A contender's row in the table of an experiment: the marks of all repetitions. */
record Summary(Contender contender, Experiment experiment, List<Marks> marks) {

    static final List<String> HEADINGS = List.of(
            "contender",
            "offered",
            "admitted",
            "should be",
            "difference",
            "most in any window",
            "its algorithm allows",
            "`Retry-After`",
            "slowest answer",
            "unanswered");

    List<String> cells() {
        long most = maximum(Marks::mostInWindow);
        long allowed = contender.mostInAnyWindow(experiment);
        Waits waits = marks.stream().map(Marks::waits).reduce(Waits.NONE, Waits::and);
        return List.of(
                contender.name(),
                spread(Marks::offered),
                spread(Marks::admitted),
                spread(Marks::oracle),
                difference(),
                most > allowed ? "**%,d**".formatted(most) : "%,d".formatted(most),
                "%,d".formatted(allowed),
                experiment.isWaitKnown() ? waits.text() : "",
                spread(mark -> mark.slowestNanos() / 1_000_000) + " ms",
                unanswered());
    }

    /** Columns that say nothing of a contender that cannot do it. */
    static List<String> cannot(Contender contender, String why) {
        return List.of(contender.name(), "not possible: " + why, "", "", "", "", "", "", "", "");
    }

    private String difference() {
        Reading calls = reading(Marks::difference, Unit.RATIO);
        Reading percent = reading(Marks::differencePercent, Unit.PERCENT);
        return calls.low() == 0 && calls.high() == 0
                ? "0"
                : String.format(
                        Locale.ROOT,
                        "%+.0f (%+.0f to %+.0f), %+.1f %%",
                        calls.median(),
                        calls.low(),
                        calls.high(),
                        percent.median());
    }

    /** The median, and behind it the lowest and the highest where they differ. */
    private String spread(ToLongFunction<Marks> figure) {
        Reading reading = reading(figure::applyAsLong, Unit.RATIO);
        return reading.low() == reading.high()
                ? "%,d".formatted(Math.round(reading.median()))
                : "%,d (%,d to %,d)"
                        .formatted(Math.round(reading.median()), Math.round(reading.low()), Math.round(reading.high()));
    }

    /** The most in any window, for a chart. */
    Reading mostInWindow() {
        return reading(Marks::mostInWindow, Unit.RATIO);
    }

    private String unanswered() {
        long most = maximum(Marks::unanswered);
        return most == 0 ? "" : Long.toString(most);
    }

    private long maximum(ToLongFunction<Marks> figure) {
        return marks.stream().mapToLong(figure).max().orElse(0);
    }

    private Reading reading(ToDoubleFunction<Marks> figure, Unit unit) {
        return new Reading(
                contender.name(),
                unit,
                marks.stream().map(figure::applyAsDouble).toList());
    }
}
