/** What a route or an annotation says, in a form that makes an acquisition of a call. */
@NullMarked
package io.ratelimit.spring.rule;

import org.jspecify.annotations.NullMarked;
