package io.ratelimit.spring.internal.reactive;

import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsConfigurationSource;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.cors.reactive.DefaultCorsProcessor;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Gives a refusal the CORS headers that the application would have given its answer, so that scripts can read it. Where beans
 * configure CORS, a request of the same origin gets their {@code Vary}, too; handlers are not asked for it, because that takes
 * longer than the refusal. Thread-safe.
 */
final class RefusalCors {

    private static final Logger LOG = LoggerFactory.getLogger(RefusalCors.class);

    private final DefaultCorsProcessor processor = new DefaultCorsProcessor();
    private final SingletonSupplier<List<CorsConfigurationSource>> sources;
    private final SingletonSupplier<List<CorsWebFilter>> filters;
    private final SingletonSupplier<List<HandlerMapping>> mappings;

    RefusalCors(ApplicationContext context) {
        this.sources = all(context, CorsConfigurationSource.class);
        this.filters = all(context, CorsWebFilter.class);
        this.mappings = all(context, HandlerMapping.class);
    }

    private static <T> SingletonSupplier<List<T>> all(ApplicationContext context, Class<T> type) {
        return SingletonSupplier.of(
                () -> context.getBeanProvider(type).orderedStream().toList());
    }

    /**
     * Adds the headers. For an origin that is not allowed, the status becomes 403. If the source of the headers fails,
     * they are left out, so that a refusal does not become a 500.
     */
    Mono<Void> apply(ServerWebExchange exchange) {
        boolean fromAnotherOrigin;
        try {
            fromAnotherOrigin = CorsUtils.isCorsRequest(exchange.getRequest());
        } catch (IllegalArgumentException malformed) {
            return Mono.empty(); // an Origin that is not a URL, which a CorsWebFilter would answer with 403
        }
        Flux<Mono<Void>> ways = Flux.concat(
                Mono.fromSupplier(() -> Mono.defer(() -> configured(exchange, fromAnotherOrigin))),
                Flux.fromIterable(filters.obtain()).map(filter -> filter.filter(exchange, passed -> Mono.empty())));
        return ways.concatMap(way -> isAnswered(exchange.getResponse()) ? Mono.empty() : tried(way))
                .then();
    }

    /** The first that configures the path decides. */
    private Mono<Void> configured(ServerWebExchange exchange, boolean ofHandlers) {
        CorsConfiguration configuration = sources.obtain().stream()
                .map(source -> source.getCorsConfiguration(exchange))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (configuration != null) {
            return Mono.fromRunnable(() -> processor.process(configuration, exchange));
        }
        return ofHandlers ? handled(exchange) : Mono.empty();
    }

    /** A mapping that finds the handler of a request processes CORS for it. */
    private Mono<Void> handled(ServerWebExchange exchange) {
        return Flux.fromIterable(mappings.obtain())
                .concatMap(mapping -> mapping.getHandler(exchange))
                .next()
                .then();
    }

    private static Mono<Void> tried(Mono<Void> way) {
        return way.onErrorResume(failed -> {
            // without the message, which may quote the path
            LOG.debug(
                    "A refusal has no CORS headers, because their source failed: {}",
                    failed.getClass().getName());
            return Mono.empty();
        });
    }

    /** Lets scripts read the headers of the refusal. */
    static void expose(ServerHttpResponse response) {
        if (isAnswered(response)) {
            ExposedHeaders.ofRefusal(response.getHeaders());
        }
    }

    static boolean isAnswered(ServerHttpResponse response) {
        return response.getHeaders().getFirst(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN) != null;
    }
}
