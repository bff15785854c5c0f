/** The store in this process's memory: exact under any number of threads, bounded, and not shared between instances. */
@NullMarked
package io.ratelimit.memory;

import org.jspecify.annotations.NullMarked;
