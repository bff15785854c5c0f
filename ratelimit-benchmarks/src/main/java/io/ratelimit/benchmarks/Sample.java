package io.ratelimit.benchmarks;

/**
 * What one turn of a load measured.
 *
 * @param medianMicros how long a caller waited for its decision, in µs
 */
record Sample(long decisions, double seconds, double medianMicros) {

    double perSecond() {
        return decisions / seconds;
    }
}
