/** The endpoint {@code ratelimits} of Spring Boot Actuator. Without Actuator nothing here is loaded. */
@NullMarked
package io.ratelimit.spring.actuator;

import org.jspecify.annotations.NullMarked;
