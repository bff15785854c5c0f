package io.ratelimit.benchmarks;

/** One turn of one contender: does its work once and says what came out. */
@FunctionalInterface
interface Trial {

    double measure();
}
