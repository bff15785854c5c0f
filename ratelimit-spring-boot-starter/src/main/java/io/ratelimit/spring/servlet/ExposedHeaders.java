package io.ratelimit.spring.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collection;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.web.cors.CorsUtils;

/**
 * Lets scripts of another origin read how the limits stand. Without {@code Access-Control-Allow-Origin}, which the
 * application adds for the origins that it allows, browsers ignore the header.
 */
final class ExposedHeaders {

    private static final List<String> EXPOSED = List.of(
            "RateLimit",
            "RateLimit-Policy",
            "X-RateLimit-Limit",
            "X-RateLimit-Remaining",
            "X-RateLimit-Reset",
            HttpHeaders.RETRY_AFTER);

    private ExposedHeaders() {}

    /** False for an {@code Origin} that is not a URL, for which Spring throws an exception. */
    static boolean isFromAnotherOrigin(HttpServletRequest request) {
        try {
            return CorsUtils.isCorsRequest(request);
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    /** Exposes those that the response has and that are not exposed yet. */
    static void add(HttpServletRequest request, HttpServletResponse response) {
        if (!isFromAnotherOrigin(request)) {
            return;
        }
        Collection<String> exposed = response.getHeaders(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS);
        for (String name : EXPOSED) {
            if (response.containsHeader(name) && !exposed.contains(name)) {
                response.addHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, name);
            }
        }
    }
}
