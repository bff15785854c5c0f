/**
 * The algorithms, one class each: from the state of a subject, a cost and the time, they compute whether the cost fits
 * and when it will. They use no store, clock, lock or logger. Each has a twin in Lua, {@code io/ratelimit/internal/redis/*.lua},
 * which makes the same decisions.
 */
@NullMarked
package io.ratelimit.internal.algorithm;

import org.jspecify.annotations.NullMarked;
