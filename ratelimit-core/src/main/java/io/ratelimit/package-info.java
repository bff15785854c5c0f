/**
 * The API: {@link io.ratelimit.Limit}, {@link io.ratelimit.Acquisition}, {@link io.ratelimit.RateLimiter} and {@link
 * io.ratelimit.Decision}. It depends on no store and no library.
 */
@NullMarked
package io.ratelimit;

import org.jspecify.annotations.NullMarked;
