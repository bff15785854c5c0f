/** The store in Redis, shared by all processes. One Lua script decides a batch of acquisitions in one round trip. */
@NullMarked
package io.ratelimit.internal.redis;

import org.jspecify.annotations.NullMarked;
