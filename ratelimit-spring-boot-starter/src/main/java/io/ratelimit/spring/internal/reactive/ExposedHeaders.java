package io.ratelimit.spring.internal.reactive;

import io.ratelimit.spring.internal.web.RateLimitHeaders;
import java.util.function.BiConsumer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;

/**
 * Lets scripts of another origin read how the limits stand. Without {@code Access-Control-Allow-Origin}, which the
 * application adds for the origins that it allows, browsers ignore the header.
 */
final class ExposedHeaders {

    private ExposedHeaders() {}

    /** False for an {@code Origin} that is not a URL, for which Spring throws an exception. */
    static boolean isFromAnotherOrigin(ServerHttpRequest request) {
        try {
            return CorsUtils.isCorsRequest(request);
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    /** Sets headers of the response and exposes them. */
    static BiConsumer<String, String> setter(ServerWebExchange exchange) {
        HttpHeaders headers = exchange.getResponse().getHeaders();
        boolean exposes = isFromAnotherOrigin(exchange.getRequest());
        return (name, value) -> {
            headers.set(name, value);
            if (exposes) {
                expose(name, headers);
            }
        };
    }

    /** Exposes the headers of a refusal that are not exposed yet. */
    static void ofRefusal(HttpHeaders headers) {
        RateLimitHeaders.OF_REFUSALS.stream()
                .filter(name -> headers.getFirst(name) != null)
                .forEach(name -> expose(name, headers));
    }

    private static void expose(String name, HttpHeaders headers) {
        if (!headers.getAccessControlExposeHeaders().contains(name)) {
            headers.add(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, name);
        }
    }
}
