package io.ratelimit.algorithm;

import io.ratelimit.Algorithm;
import java.util.List;

/**
 * A limit and calls to it, which a property is tried on. Sizes are parts of a million of what is possible there and
 * then, so that a step keeps its meaning while jqwik looks for the smallest schedule that fails.
 */
record Schedule(Algorithm algorithm, Quota quota, List<Step> steps) {

    static final int MILLION = 1_000_000;

    /** What passes before a call. */
    enum Pause {
        NOTHING,
        RETRY_AFTER,
        TO_THE_BOUNDARY,
        TO_JUST_BEFORE_THE_BOUNDARY,
        UP_TO_A_TOKEN,
        UP_TO_A_WINDOW,
        UP_TO_THREE_WINDOWS
    }

    /**
     * One call.
     *
     * @param pause what passes before it, and {@code pauseSize} how much of that
     * @param costSize from a cost of 1 up to the capacity
     * @param givesBack which of the calls admitted before is given back first, 1 the newest; 0 none
     */
    record Step(Pause pause, int pauseSize, int costSize, int givesBack) {}

    Schedule withoutGivingBack() {
        return new Schedule(
                algorithm,
                quota,
                steps.stream()
                        .map(step -> new Step(step.pause, step.pauseSize, step.costSize, 0))
                        .toList());
    }

    long cost(int costSize) {
        return 1 + part(quota.capacity() - 1, costSize);
    }

    /** So many millionths of it. */
    static long part(long whole, int size) {
        return whole / MILLION * size + whole % MILLION * size / MILLION;
    }
}
