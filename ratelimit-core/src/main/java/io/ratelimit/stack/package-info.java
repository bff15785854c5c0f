/** Builds the limiter that applications use: a store and the layers around it. */
@NullMarked
package io.ratelimit.stack;

import org.jspecify.annotations.NullMarked;
