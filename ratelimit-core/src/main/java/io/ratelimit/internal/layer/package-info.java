/** The layers between a limiter and its store, one job each. */
@NullMarked
package io.ratelimit.internal.layer;

import org.jspecify.annotations.NullMarked;
