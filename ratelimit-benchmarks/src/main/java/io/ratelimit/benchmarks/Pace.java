package io.ratelimit.benchmarks;

import java.time.Duration;

/**
 * How long everything takes.
 *
 * @param rounds how often each contender has its turn
 * @param settle how long a turn runs before it counts
 * @param measure how long it counts
 * @param calls decisions of a turn that is not measured by time
 * @param forks how often each contender gets a Java process of its own, where it needs one
 * @param seconds how many seconds such a process counts, after one second more than that to warm up, or five times as
 *     many if it has many threads
 */
record Pace(int rounds, Duration settle, Duration measure, int calls, int forks, int seconds) {

    private static final Duration BRIEF_SETTLE = Duration.ofMillis(250);
    private static final Duration BRIEF_MEASURE = Duration.ofMillis(850);

    static Pace thorough() {
        return new Pace(11, Duration.ofMillis(500), Duration.ofSeconds(2), 25_000, 7, 2);
    }

    /** For a trial. */
    static Pace quick() {
        return new Pace(3, Duration.ofMillis(100), Duration.ofMillis(400), 5_000, 1, 1);
    }

    /** For many contests over that round trip: fewer and shorter rounds, 20 round trips at least. */
    Pace over(Duration roundTrip) {
        return new Pace(
                Math.min(rounds, 5),
                longer(shorter(settle, BRIEF_SETTLE), roundTrip.multipliedBy(4)),
                longer(shorter(measure, BRIEF_MEASURE), roundTrip.multipliedBy(20)),
                calls,
                forks,
                seconds);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Counts from the start. */
    Pace unsettled() {
        return new Pace(rounds, Duration.ZERO, measure, calls, forks, seconds);
    }

    String text() {
        return "%d rounds of %,d ms after %,d ms to settle".formatted(rounds, measure.toMillis(), settle.toMillis());
    }

    /** The pace of what runs in processes of its own, in words. */
    static String forks(int forks) {
        return "%d processes for each contender".formatted(forks);
    }
}
