/**
 * The algorithms, one class each: given what is known of a subject, what is asked and the time, is it admitted and
 * when is it next? Nothing here knows a store, a clock, a lock or a log. Each class has a twin of the same name in
 * {@code io/ratelimit/redis/*.lua}.
 */
@NullMarked
package io.ratelimit.algorithm;

import org.jspecify.annotations.NullMarked;
