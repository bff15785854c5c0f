/**
 * What a user of the limiter meets: {@link io.ratelimit.Limit}, {@link io.ratelimit.Acquisition},
 * {@link io.ratelimit.RateLimiter} and its {@link io.ratelimit.Decision}. No store and no library is named here.
 */
@NullMarked
package io.ratelimit;

import org.jspecify.annotations.NullMarked;
