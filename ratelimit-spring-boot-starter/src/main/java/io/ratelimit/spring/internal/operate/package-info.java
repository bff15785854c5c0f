/** The operator's view: the endpoint {@code ratelimits}, health, meters and observations. Without Actuator or Micrometer nothing here is loaded. */
@NullMarked
package io.ratelimit.spring.internal.operate;

import org.jspecify.annotations.NullMarked;
