package io.ratelimit.benchmarks;

/** A group of rows that are measured together. */
interface Section {

    /** One word, by which the command line names it. */
    String id();

    Findings run(Site site);
}
