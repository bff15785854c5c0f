/** Splits one quota between several keys. Not API: use {@link io.ratelimit.stack.RateLimiterStack}. */
@NullMarked
package io.ratelimit.internal.shard;

import org.jspecify.annotations.NullMarked;
