/**
 * What limiters admit beside what they promise: {@link io.ratelimit.lab.Contenders} go through {@link
 * io.ratelimit.lab.Experiments}, and an {@link io.ratelimit.lab.Oracle} counts again, by brute force, what each did.
 * {@link io.ratelimit.lab.Lab} runs all of it.
 */
@NullMarked
package io.ratelimit.lab;

import org.jspecify.annotations.NullMarked;
