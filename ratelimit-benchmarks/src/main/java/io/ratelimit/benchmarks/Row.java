package io.ratelimit.benchmarks;

import java.util.List;

/**
 * One line of the table: what was measured, beside what, and whether their ratio is as required.
 *
 * @param what was measured
 */
record Row(String what, Reading measured, Reading beside, Target target) {

    static final List<String> HEADINGS =
            List.of("what", "measured (lowest to highest)", "beside", "", "ratio", "required", "reached");

    Reading ratio() {
        return measured.over(beside);
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
                ratio().text(),
                target.text(),
                target.isRequired() ? isReached() ? "yes" : "**no**" : "");
    }
}
