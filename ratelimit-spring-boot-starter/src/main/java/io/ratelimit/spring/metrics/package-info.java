/** Meters of the limiter for Micrometer. Without Micrometer nothing here is loaded. */
@NullMarked
package io.ratelimit.spring.metrics;

import org.jspecify.annotations.NullMarked;
