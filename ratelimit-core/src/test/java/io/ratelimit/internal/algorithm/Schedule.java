package io.ratelimit.internal.algorithm;

import io.ratelimit.Algorithm;
import io.ratelimit.Quota;
import java.util.List;

/**
 * A limit and calls to it, on which a property is tried. Sizes are millionths of the largest possible value at that
 * step, so that a step keeps its meaning while jqwik searches for the smallest schedule that fails.
 */
record Schedule(Algorithm algorithm, Quota quota, List<Step> steps) {

    static final int MILLION = 1_000_000;

    /** The time that passes before a call. */
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
     * @param pause the kind of pause before the call, and {@code pauseSize} its length
     * @param costSize from a cost of 1 up to the capacity
     * @param settles which of the calls admitted before is settled first, 1 the newest; 0 none
     * @param actualSize what that call cost, unless it is released, from 0, which gives all of it back, up to twice the capacity
     */
    record Step(Pause pause, int pauseSize, int costSize, int settles, int actualSize) {

        /** A step that gives all of a call back. */
        Step(Pause pause, int pauseSize, int costSize, int givesBack) {
            this(pause, pauseSize, costSize, givesBack, 0);
        }
    }

    long actual(Step step) {
        return algorithm.isReleased() ? 0 : part(2 * quota.capacity(), step.actualSize);
    }

    Schedule withoutSettling() {
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

    /** Returns {@code size} millionths of the whole. */
    static long part(long whole, int size) {
        return whole / MILLION * size + whole % MILLION * size / MILLION;
    }
}
