package io.ratelimit.testing;

import io.ratelimit.Algorithm;
import java.util.Arrays;
import java.util.List;

/** The algorithms, for tests that try all of a kind. */
public final class Algorithms {

    private Algorithms() {}

    /** Returns those that count costs and not elements. */
    public static List<Algorithm> ofCosts() {
        return Arrays.stream(Algorithm.values())
                .filter(algorithm -> !algorithm.countsElements())
                .toList();
    }
}
