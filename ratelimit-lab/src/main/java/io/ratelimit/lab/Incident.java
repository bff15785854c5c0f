package io.ratelimit.lab;

import io.ratelimit.benchmarks.RedisSite;

/** What happens to Redis half-way through an experiment. */
interface Incident {

    Incident NONE = redis -> {};

    /** Called before the contenders start. */
    default void prepare(RedisSite redis) {}

    void happen(RedisSite redis);

    /** Redis is killed, and started empty on the same port so much later. */
    static Incident outage(long millis) {
        return redis -> {
            redis.kill();
            Pauses.millis(millis);
            redis.startAgain();
        };
    }
}
