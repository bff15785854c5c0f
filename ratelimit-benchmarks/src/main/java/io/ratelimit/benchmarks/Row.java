package io.ratelimit.benchmarks;

import java.util.List;
import java.util.Locale;

/**
 * One line of the table: what was measured, beside what, and whether their ratio is as required.
 *
 * @param what was measured
 */
record Row(String what, Reading measured, Reading beside, Target target) {

    static final List<String> HEADINGS =
            List.of("what", "measured (lowest to highest)", "beside", "", "ratio", "required", "reached");

    double ratio() {
        return measured.median() / beside.median();
    }

    boolean isReached() {
        return target.isReachedBy(ratio());
    }

    List<String> cells() {
        return List.of(
                what,
                measured.text(),
                beside.name(),
                beside.text(),
                String.format(Locale.ROOT, "%.2f", ratio()),
                target.text(),
                target.isRequired() ? isReached() ? "yes" : "**no**" : "");
    }
}
