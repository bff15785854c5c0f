/** Used by every room of the starter. Nothing below this package is API. */
@NullMarked
package io.ratelimit.spring.internal;

import org.jspecify.annotations.NullMarked;
