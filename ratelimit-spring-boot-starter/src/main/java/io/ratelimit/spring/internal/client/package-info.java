/** Limits on requests that the application sends: which they are, when they may leave, and what their answers ask for. */
@NullMarked
package io.ratelimit.spring.internal.client;

import org.jspecify.annotations.NullMarked;
