/** Serves limits from quota taken in advance. Not API: use {@link io.ratelimit.stack.RateLimiterStack}. */
@NullMarked
package io.ratelimit.internal.lease;

import org.jspecify.annotations.NullMarked;
