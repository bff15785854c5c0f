/** What every room of the starter uses. Nothing below this package is API. */
@NullMarked
package io.ratelimit.spring.internal;

import org.jspecify.annotations.NullMarked;
