/** Helpers shared by the packages of the core. Not API: they may change in any release. */
@NullMarked
package io.ratelimit.internal;

import org.jspecify.annotations.NullMarked;
