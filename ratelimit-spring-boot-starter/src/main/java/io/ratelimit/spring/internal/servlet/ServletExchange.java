package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.web.ResponseLimits;
import jakarta.servlet.http.HttpServletRequest;

/** What the limiter keeps with a servlet request. */
final class ServletExchange {

    private static final String LIMITS = ServletExchange.class.getName() + ".limits";

    private ServletExchange() {}

    /** The limits that the response shows. */
    static ResponseLimits limits(HttpServletRequest request) {
        synchronized (request) { // an endpoint may make limited calls in parallel
            if (request.getAttribute(LIMITS) instanceof ResponseLimits limits) {
                return limits;
            }
            ResponseLimits limits = new ResponseLimits();
            request.setAttribute(LIMITS, limits);
            return limits;
        }
    }
}
