/** From the text of a route or an annotation to a call: whom it counts, what it costs, and which limits decide on it. */
@NullMarked
package io.ratelimit.spring.internal.rule;

import org.jspecify.annotations.NullMarked;
