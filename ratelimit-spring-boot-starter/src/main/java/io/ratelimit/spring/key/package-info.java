/** Who is counted: from the text of a {@code key} to a subject. */
@NullMarked
package io.ratelimit.spring.key;

import org.jspecify.annotations.NullMarked;
