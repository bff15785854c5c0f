/** Server side of the playground page: limits that a request describes, decided by the limiter of the application. */
@NullMarked
package io.ratelimit.sample.playground;

import org.jspecify.annotations.NullMarked;
