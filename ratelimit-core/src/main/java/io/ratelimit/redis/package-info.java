/** How a limiter reaches Redis. */
@NullMarked
package io.ratelimit.redis;

import org.jspecify.annotations.NullMarked;
