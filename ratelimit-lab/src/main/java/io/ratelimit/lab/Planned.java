package io.ratelimit.lab;

/**
 * One call that an experiment will make.
 *
 * @param atMicros when, counted from the experiment's start, which is a boundary of windows of the clock
 * @param instance which instance is asked
 */
record Planned(long atMicros, int subject, long cost, int instance) {}
