/**
 * The limiters that go through the experiments. An instance whose clock is wrong loads these classes, and those of the
 * library they use, a second time; so they use public members only of what is outside.
 */
@NullMarked
package io.ratelimit.lab.peer;

import org.jspecify.annotations.NullMarked;
