/** What a decision looks like in HTTP, the same for servlet and reactive applications. */
@NullMarked
package io.ratelimit.spring.http;

import org.jspecify.annotations.NullMarked;
