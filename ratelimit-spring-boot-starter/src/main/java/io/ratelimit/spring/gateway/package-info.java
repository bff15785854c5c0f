/** Limits by name in the route definitions of Spring Cloud Gateway. */
@NullMarked
package io.ratelimit.spring.gateway;

import org.jspecify.annotations.NullMarked;
