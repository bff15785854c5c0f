/** Counts in this process's memory: exact under threads, bounded, shared with nobody. */
@NullMarked
package io.ratelimit.memory;

import org.jspecify.annotations.NullMarked;
