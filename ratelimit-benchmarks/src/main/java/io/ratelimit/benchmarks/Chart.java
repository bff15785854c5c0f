package io.ratelimit.benchmarks;

/** A picture of readings, as SVG. */
interface Chart {

    String title();

    /** The whole document. */
    String svg();
}
