package io.ratelimit.benchmarks;

import java.util.function.Function;

/** A contender that this library is held against, and what is required of the ratio of the two. */
record Against<C extends Contender>(Function<RedisSite, ? extends C> open, Target target) {}
