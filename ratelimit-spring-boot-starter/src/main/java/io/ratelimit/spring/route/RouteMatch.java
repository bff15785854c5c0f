package io.ratelimit.spring.route;

import org.springframework.web.util.pattern.PathPattern;

/** A route, and which of its patterns matched. */
public record RouteMatch(Route route, PathPattern pattern) {}
