/** Routes and annotations as rules, which turn a call into an acquisition. */
@NullMarked
package io.ratelimit.spring.rule;

import org.jspecify.annotations.NullMarked;
