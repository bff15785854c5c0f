/** Lets calls wait until they fit, first come, first served. */
@NullMarked
package io.ratelimit.internal.waiting;

import org.jspecify.annotations.NullMarked;
