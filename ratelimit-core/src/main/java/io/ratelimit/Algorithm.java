package io.ratelimit;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The algorithms. Each constant stands for a class of {@code io.ratelimit.internal.algorithm} and, by its label, for the Lua
 * fragment that makes the same decisions in Redis. Thread-safe.
 */
public enum Algorithm {
    /** At most L in each window of the clock; up to 2L around a boundary. */
    FIXED_WINDOW("fixed-window"),
    /** At most L in any W, exactly. */
    SLIDING_WINDOW_LOG("sliding-window-log"),
    /** At most L by a weighted estimate of the last W, in constant memory. */
    SLIDING_WINDOW_COUNTER("sliding-window-counter"),
    /** Bursts of up to the capacity, refilled evenly. */
    TOKEN_BUCKET("token-bucket"),
    /** At most L in flight, until each call is settled or released; for at most W. */
    CONCURRENCY("concurrency"),
    /** At most L distinct elements in each window of the clock. */
    UNIQUE_COUNT("unique-count"),
    /**
     * At most about L distinct elements in each window of the clock, in 12 KB whatever L is. Near the limit most new elements are
     * admitted without being counted: see {@code docs/algorithms.md}. Configuration writes it as {@code unique-count} with
     * {@code approximate: true}.
     */
    APPROXIMATE_UNIQUE_COUNT("approximate-unique-count");

    private final String label;

    Algorithm(String label) {
        this.label = label;
    }

    /** Returns the name in configuration, keys and scripts, such as {@code token-bucket}. */
    public String label() {
        return label;
    }

    /** Returns whether a limit of this algorithm may have a burst. */
    public boolean hasBurst() {
        return this == TOKEN_BUCKET;
    }

    /** Returns whether a charge of this algorithm ends with its call, which must then be settled or released. */
    public boolean isReleased() {
        return this == CONCURRENCY;
    }

    /** Returns whether a charge of this algorithm names an element, instead of having a cost. */
    public boolean countsElements() {
        return this == UNIQUE_COUNT || this == APPROXIMATE_UNIQUE_COUNT;
    }

    /** Returns whether a charge of this algorithm is corrected to what the call cost, when that is settled. */
    public boolean countsCosts() {
        return !isReleased() && !countsElements();
    }

    /**
     * Returns the algorithm of that name. Accepts any case, {@code token_bucket} and {@code tokenBucket}, and the
     * suffix {@code -algo}; {@code sliding-window} is the log. The approximate count of elements has no name of its own.
     *
     * @throws IllegalArgumentException if there is no such algorithm; the message lists all names
     */
    public static Algorithm named(String name) {
        String label = name.trim()
                .replaceAll("(?<=[a-z])(?=[A-Z])", "-")
                .toLowerCase(Locale.ROOT)
                .replace('_', '-')
                .replaceFirst("-algo$", "");
        if (label.equals("sliding-window")) {
            return SLIDING_WINDOW_LOG;
        }
        return named().filter(algorithm -> algorithm.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "use-algo '%s' is not an algorithm: use one of %s".formatted(name, labels())));
    }

    private static String labels() {
        return named().map(Algorithm::label).collect(Collectors.joining(", "));
    }

    private static Stream<Algorithm> named() {
        return Arrays.stream(values()).filter(algorithm -> algorithm != APPROXIMATE_UNIQUE_COUNT);
    }
}
