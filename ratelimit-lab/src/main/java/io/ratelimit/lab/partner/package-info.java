/** Instances of an application that call a partner, which enforces a limit of its own and answers 429 to what is above it. */
@NullMarked
package io.ratelimit.lab.partner;

import org.jspecify.annotations.NullMarked;
