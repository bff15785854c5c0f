/** What changes while the application runs: the numbers of its limits. */
@NullMarked
package io.ratelimit.spring.internal.live;

import org.jspecify.annotations.NullMarked;
