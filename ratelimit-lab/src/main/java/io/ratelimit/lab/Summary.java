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
        long most = marks.stream().mapToLong(Marks::mostInWindow).max().orElse(0);
        long allowed = contender.mostInAnyWindow(experiment.rate(), experiment.instances());
        Waits waits = marks.stream().map(Marks::waits).reduce(Waits.NONE, Waits::and);
        return List.of(
                contender.name(),
                whole(Marks::offered),
                whole(Marks::admitted),
                whole(Marks::oracle),
                difference(),
                most > allowed ? "**%,d**".formatted(most) : "%,d".formatted(most),
                "%,d".formatted(allowed),
                experiment.isDisturbed() ? "" : waits.text(),
                String.format(Locale.ROOT, "%.0f ms", maximum(Marks::slowestNanos) / 1e6),
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

    private String whole(ToLongFunction<Marks> figure) {
        return "%,d"
                .formatted(Math.round(reading(figure::applyAsLong, Unit.RATIO).median()));
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
