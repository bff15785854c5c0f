package io.ratelimit.benchmarks;

import java.util.List;

/**
 * Where and how thoroughly everything is measured.
 *
 * @param callers for sections that several kinds of callers ask
 */
record Site(RedisSite redis, Pace pace, List<Callers> callers) {}
