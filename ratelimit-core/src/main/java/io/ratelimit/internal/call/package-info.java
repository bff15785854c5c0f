/** A call on its way through the layers of a limiter to its store and back, and what layers and stores share. */
@NullMarked
package io.ratelimit.internal.call;

import org.jspecify.annotations.NullMarked;
