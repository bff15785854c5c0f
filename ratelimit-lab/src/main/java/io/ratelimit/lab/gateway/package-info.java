/** Spring Cloud Gateway with its {@code RequestRateLimiter}, as its documentation shows it, for the kit to mark. */
@NullMarked
package io.ratelimit.lab.gateway;

import org.jspecify.annotations.NullMarked;
