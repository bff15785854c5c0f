/** The types that an application writes down: {@link io.ratelimit.spring.RateLimited}, key resolvers and the configured limits. */
@NullMarked
package io.ratelimit.spring;

import org.jspecify.annotations.NullMarked;
