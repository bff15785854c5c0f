package io.ratelimit.lab;

/** What an experiment needs of a contender. */
enum Need {
    /** Calls that cost more than one. */
    COSTS,
    /** What a call was charged, corrected once the call is done. */
    SETTLING,
    /** Instances that share their counts. */
    INSTANCES,
    /** Several subjects. */
    SUBJECTS,
    /** Redis, or a network to it, that something can happen to. */
    REDIS
}
