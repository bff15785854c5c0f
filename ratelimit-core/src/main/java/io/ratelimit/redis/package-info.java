/** Counts in Redis, shared by all processes: one Lua script decides a batch of acquisitions in one round trip. */
@NullMarked
package io.ratelimit.redis;

import org.jspecify.annotations.NullMarked;
