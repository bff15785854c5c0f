/** Limiters of known behaviour, on the lab's own clock: what the lab says of them is what the lab is worth. */
@NullMarked
package io.ratelimit.lab.known;

import org.jspecify.annotations.NullMarked;
