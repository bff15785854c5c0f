/** Turns {@code rate-limiter.*} into beans, one auto-configuration a feature. */
@NullMarked
package io.ratelimit.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
