/** Expectations of responses in tests of reactive applications. */
@NullMarked
package io.ratelimit.test.reactive;

import org.jspecify.annotations.NullMarked;
