/** Limits calls of language models that Spring AI's {@code ChatClient} makes, by requests and by tokens. */
@NullMarked
package io.ratelimit.spring.ai;

import org.jspecify.annotations.NullMarked;
