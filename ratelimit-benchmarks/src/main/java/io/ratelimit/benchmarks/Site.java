package io.ratelimit.benchmarks;

/** Where and how thoroughly everything is measured. */
record Site(RedisSite redis, Pace pace) {}
