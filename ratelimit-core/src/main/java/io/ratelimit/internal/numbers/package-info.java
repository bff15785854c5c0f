/** The numbers that limits have in a call: provided for its subject, or overridden for all. */
@NullMarked
package io.ratelimit.internal.numbers;

import org.jspecify.annotations.NullMarked;
