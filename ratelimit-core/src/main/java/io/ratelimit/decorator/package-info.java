/** Limiters around a limiter, one concern each: what to do without the store, and deciding without refusing. */
@NullMarked
package io.ratelimit.decorator;

import org.jspecify.annotations.NullMarked;
