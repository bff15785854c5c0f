package io.ratelimit.benchmarks;

/** A group of rows that are measured together. */
interface Section {

    /** One word, by which the command line names it. */
    String id();

    /** The network between the callers and Redis. */
    default String network() {
        return "loopback";
    }

    /** How long it measures, in words. */
    default String pace(Pace pace) {
        return pace.text();
    }

    /** False if this JDK cannot run it. */
    default boolean isPossible() {
        return true;
    }

    Findings run(Site site);
}
