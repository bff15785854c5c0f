package io.ratelimit.spring.internal.reactive;

import io.ratelimit.spring.internal.web.RateLimitHeaders;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Lets scripts of another origin read how the limits stand. Without {@code Access-Control-Allow-Origin}, which the
 * application adds for the origins that it allows, browsers ignore the header.
 */
final class ExposedHeaders {

    private static final String EXPOSED = ExposedHeaders.class.getName() + ".exposed";

    private ExposedHeaders() {}

    /** False for an {@code Origin} that is not a URL, for which Spring throws an exception. */
    static boolean isFromAnotherOrigin(ServerHttpRequest request) {
        try {
            return CorsUtils.isCorsRequest(request);
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    /** Sets headers of the response and exposes them: at the end, because Spring replaces what is exposed until then. */
    static BiConsumer<String, String> setter(ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        if (!isFromAnotherOrigin(exchange.getRequest())) {
            return response.getHeaders()::set;
        }
        Collection<String> exposed = exposedAtTheEnd(exchange);
        return (name, value) -> {
            response.getHeaders().set(name, value);
            exposed.add(name);
        };
    }

    @SuppressWarnings("unchecked")
    private static Collection<String> exposedAtTheEnd(ServerWebExchange exchange) {
        return (Collection<String>) exchange.getAttributes().computeIfAbsent(EXPOSED, first -> {
            Collection<String> names = ConcurrentHashMap.newKeySet();
            ServerHttpResponse response = exchange.getResponse();
            response.beforeCommit(() ->
                    Mono.fromRunnable(() -> names.forEach(name -> expose(name, response.getHeaders()))));
            return names;
        });
    }

    /** Exposes the headers of a refusal that are not exposed yet. */
    static void ofRefusal(HttpHeaders headers) {
        RateLimitHeaders.EXPOSED.stream()
                .filter(name -> headers.getFirst(name) != null)
                .forEach(name -> expose(name, headers));
    }

    private static void expose(String name, HttpHeaders headers) {
        List<String> exposed = new ArrayList<>(headers.getAccessControlExposeHeaders());
        if (!exposed.contains(name)) {
            exposed.add(name);
            headers.setAccessControlExposeHeaders(exposed);
        }
    }
}
