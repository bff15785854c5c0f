/** Limits in servlet applications: a filter for routes, and the answer to a refused annotated method. */
@NullMarked
package io.ratelimit.spring.internal.servlet;

import org.jspecify.annotations.NullMarked;
