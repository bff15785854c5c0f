package io.ratelimit.spring.testing;

import io.ratelimit.spring.Limits;

/** A bean that may ask for any limit, so that no start warns of an unused one. */
public record LooksUpLimits(Limits limits) {}
