/** Expectations of responses in tests of servlet applications. */
@NullMarked
package io.ratelimit.test.servlet;

import org.jspecify.annotations.NullMarked;
