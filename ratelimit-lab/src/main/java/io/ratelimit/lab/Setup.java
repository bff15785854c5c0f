package io.ratelimit.lab;

import io.ratelimit.benchmarks.RedisSite;
import java.util.concurrent.ConcurrentMap;

/**
 * What an instance of a contender is made of.
 *
 * @param variant which of the limiters of that class, in its own words
 * @param shared what all instances share that have no store
 */
public record Setup(
        RedisSite redis, Rate rate, String variant, StoreClock clock, ConcurrentMap<String, Object> shared) {}
