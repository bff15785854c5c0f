/** Logs one WARN at the start for settings that are valid but almost certainly wrong: one class for each mistake. */
@NullMarked
package io.ratelimit.spring.autoconfigure.diagnostics;

import org.jspecify.annotations.NullMarked;
