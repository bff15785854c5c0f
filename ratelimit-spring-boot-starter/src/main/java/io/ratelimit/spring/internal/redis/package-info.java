/** Redis as the application has configured it, with a connection of the limiter's own. */
@NullMarked
package io.ratelimit.spring.internal.redis;

import org.jspecify.annotations.NullMarked;
