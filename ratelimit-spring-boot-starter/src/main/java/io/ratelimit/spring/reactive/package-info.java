/** Limits in reactive applications: a filter for routes, and the answer to a refused annotated method. */
@NullMarked
package io.ratelimit.spring.reactive;

import org.jspecify.annotations.NullMarked;
