/** Warns at the start of what is valid, but surely a mistake: one small class a mistake. */
@NullMarked
package io.ratelimit.spring.autoconfigure.diagnostics;

import org.jspecify.annotations.NullMarked;
