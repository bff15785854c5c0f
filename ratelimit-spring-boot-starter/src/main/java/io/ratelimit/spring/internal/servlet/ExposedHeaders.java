package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.web.RateLimitHeaders;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.http.HttpHeaders;
import org.springframework.util.StringUtils;
import org.springframework.web.cors.CorsUtils;

/**
 * Lets scripts of another origin read how the limits stand. Without {@code Access-Control-Allow-Origin}, which the
 * application adds for the origins that it allows, browsers ignore the header.
 */
final class ExposedHeaders {

    private ExposedHeaders() {}

    /** False for an {@code Origin} that is not a URL, for which Spring throws an exception. */
    static boolean isFromAnotherOrigin(HttpServletRequest request) {
        try {
            return CorsUtils.isCorsRequest(request);
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    /**
     * Returns a response in which these headers stay exposed when the application exposes its own: Spring Framework 7 sets them,
     * where 6 adds them.
     */
    static HttpServletResponse kept(HttpServletRequest request, HttpServletResponse response) {
        return isFromAnotherOrigin(request) ? new Keeping(response) : response;
    }

    private static final class Keeping extends HttpServletResponseWrapper {

        Keeping(HttpServletResponse response) {
            super(response);
        }

        @Override
        public void setHeader(String name, String value) {
            Set<String> exposed =
                    HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS.equalsIgnoreCase(name) ? exposed(this) : Set.of();
            super.setHeader(name, value);
            exposed.stream().filter(RateLimitHeaders.EXPOSED::contains).forEach(each -> expose(each, this));
        }
    }

    /** Sets headers of the response and exposes them; the request is read now, because it may be over by then. */
    static BiConsumer<String, String> setter(HttpServletRequest request, HttpServletResponse response) {
        boolean exposes = isFromAnotherOrigin(request);
        return (name, value) -> {
            response.setHeader(name, value);
            if (exposes) {
                expose(name, response);
            }
        };
    }

    /** Exposes the headers of a refusal that are not exposed yet. */
    static void ofRefusal(HttpServletResponse response) {
        RateLimitHeaders.EXPOSED.stream().filter(response::containsHeader).forEach(name -> expose(name, response));
    }

    private static void expose(String name, HttpServletResponse response) {
        Set<String> exposed = exposed(response);
        if (exposed.add(name)) {
            response.setHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, String.join(", ", exposed));
        }
    }

    private static Set<String> exposed(HttpServletResponse response) {
        return response.getHeaders(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS).stream()
                .flatMap(line -> Stream.of(StringUtils.tokenizeToStringArray(line, ",")))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }
}
