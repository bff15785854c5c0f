/** {@link io.ratelimit.spring.RateLimited} on methods: read and checked once, applied at every call. */
@NullMarked
package io.ratelimit.spring.internal.method;

import org.jspecify.annotations.NullMarked;
