/** Which requests the configured routes limit, and the decision on one; the same for servlet and reactive applications. */
@NullMarked
package io.ratelimit.spring.route;

import org.jspecify.annotations.NullMarked;
