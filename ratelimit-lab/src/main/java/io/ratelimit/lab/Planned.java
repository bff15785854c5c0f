package io.ratelimit.lab;

/**
 * One call that an experiment will make.
 *
 * @param atMicros when, counted from the experiment's start, which is a boundary of windows of the clock
 * @param cost what the caller asks for
 * @param actual what the call turns out to have cost once it is done
 * @param instance which instance is asked
 */
record Planned(long atMicros, int subject, long cost, long actual, int instance) {

    Planned ofSubject(int other) {
        return new Planned(atMicros, other, cost, actual, instance);
    }

    /** A call whose cost is known in advance. */
    Planned costing(long known) {
        return new Planned(atMicros, subject, known, known, instance);
    }

    Planned estimated(long estimate, long real) {
        return new Planned(atMicros, subject, estimate, real, instance);
    }
}
