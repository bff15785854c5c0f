/** What applications test their own limits with. */
@NullMarked
package io.ratelimit.test;

import org.jspecify.annotations.NullMarked;
