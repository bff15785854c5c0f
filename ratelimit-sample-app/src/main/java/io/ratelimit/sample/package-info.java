/** What the starter does, endpoint by endpoint. */
@NullMarked
package io.ratelimit.sample;

import org.jspecify.annotations.NullMarked;
