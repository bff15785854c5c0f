/** The answer to what annotated methods refuse in GraphQL. */
@NullMarked
package io.ratelimit.spring.graphql;

import org.jspecify.annotations.NullMarked;
