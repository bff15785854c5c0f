/**
 * Marks any rate limiter that answers over HTTP, from outside alone. {@link io.ratelimit.lab.kit.Kit} runs the {@link
 * io.ratelimit.lab.kit.Checks}.
 */
@NullMarked
package io.ratelimit.lab.kit;

import org.jspecify.annotations.NullMarked;
