package io.ratelimit.spring;

import io.ratelimit.stack.RateLimiterStackBuilder;

/**
 * Changes the stack before it is built: a bean of this type keeps the failure policy, circuit breaker and caches that an
 * application's own {@link io.ratelimit.RateLimiter} bean would replace. Runs after {@code rate-limiter.*} is applied.
 */
@FunctionalInterface
public interface RateLimiterStackCustomizer {

    void customize(RateLimiterStackBuilder stack);
}
