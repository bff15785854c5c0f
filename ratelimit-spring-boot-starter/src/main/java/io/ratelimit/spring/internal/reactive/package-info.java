/** Limits in reactive applications and gateways: a filter for routes, and the answer to a refused annotated method. */
@NullMarked
package io.ratelimit.spring.internal.reactive;

import org.jspecify.annotations.NullMarked;
