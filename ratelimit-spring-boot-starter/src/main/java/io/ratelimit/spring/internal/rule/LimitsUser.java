package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.Limits;

/** A bean that looks limits up by their names at each call. */
public interface LimitsUser {

    /**
     * Checks limits that are about to be in force.
     *
     * @throws io.ratelimit.spring.InvalidRateLimitException if a name that it looks up is not there, or its limit cannot be used
     */
    void check(Limits fresh);
}
