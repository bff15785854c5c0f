/** A hundred thousand malformed requests over real connections, and what must hold of all of them. */
package io.ratelimit.spring.hostile;
