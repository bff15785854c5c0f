package io.ratelimit.benchmarks;

/** A picture of readings, as SVG. */
public interface Chart {

    String title();

    /** The whole document. */
    String svg();
}
