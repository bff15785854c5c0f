/**
 * This library beside its peers, measured in one run on one Redis. {@link io.ratelimit.benchmarks.Benchmarks} runs it
 * all; {@link io.ratelimit.benchmarks.Catalogue} says what is measured and what is required.
 */
@NullMarked
package io.ratelimit.benchmarks;

import org.jspecify.annotations.NullMarked;
