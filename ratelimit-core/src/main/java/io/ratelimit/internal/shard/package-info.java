/** Splits one quota between several keys. Not API: reached through {@link io.ratelimit.stack.RateLimiterStack}. */
@NullMarked
package io.ratelimit.internal.shard;

import org.jspecify.annotations.NullMarked;
