package io.ratelimit.spring.internal.reactive;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.header.HttpHeaderWriterWebFilter;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Gives a refusal the headers that Spring Security gives all other answers of the application, because it is written before
 * Spring Security. Those of CORS are for requests of another origin, as far as beans have not given them. A class of its own,
 * because Spring Security is optional. Thread-safe.
 */
final class SecurityHeaders {

    private static final Logger LOG = LoggerFactory.getLogger(SecurityHeaders.class);

    private final SingletonSupplier<List<SecurityWebFilterChain>> chains;

    SecurityHeaders(ApplicationContext context) {
        this.chains = SingletonSupplier.of(() -> context.getBeanProvider(SecurityWebFilterChain.class)
                .orderedStream()
                .toList());
    }

    /** Adds the headers that the response does not have yet, at the latest when it is sent; none if no chain can match the path. */
    Mono<Void> apply(ServerWebExchange exchange) {
        return Mono.defer(() -> apply(
                exchange,
                ExposedHeaders.isFromAnotherOrigin(exchange.getRequest())
                        && !RefusalCors.isAnswered(exchange.getResponse())));
    }

    private Mono<Void> apply(ServerWebExchange exchange, boolean asksForCors) {
        return Flux.fromIterable(chains.obtain())
                .filterWhen(chain -> chain.matches(exchange))
                .next()
                .flatMapMany(SecurityWebFilterChain::getWebFilters)
                .filter(filter ->
                        filter instanceof HttpHeaderWriterWebFilter || (filter instanceof CorsWebFilter && asksForCors))
                .concatMap(filter -> filter.filter(exchange, passed -> Mono.empty()))
                .then()
                .onErrorResume(failed -> {
                    // without the message, which may quote the path
                    LOG.debug(
                            "A refusal has no security headers, because their chain was not found: {}",
                            failed.getClass().getName());
                    return Mono.empty();
                });
    }
}
