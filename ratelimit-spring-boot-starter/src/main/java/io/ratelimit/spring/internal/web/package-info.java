/** The form that decisions have in HTTP and in GraphQL, the same for servlet and reactive applications. */
@NullMarked
package io.ratelimit.spring.internal.web;

import org.jspecify.annotations.NullMarked;
