package io.ratelimit.spring.internal.reactive;

import java.util.List;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.security.config.web.server.SecurityWebFiltersOrder;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Gives a refusal the headers that Spring Security gives all other answers of the application, because it is written before
 * Spring Security. A class of its own, because Spring Security is optional. Thread-safe.
 */
final class SecurityHeaders {

    private final SingletonSupplier<List<SecurityWebFilterChain>> chains;

    SecurityHeaders(ApplicationContext context) {
        this.chains = SingletonSupplier.of(() -> context.getBeanProvider(SecurityWebFilterChain.class)
                .orderedStream()
                .toList());
    }

    /** Has the headers that the response does not have yet added when it is sent. */
    Mono<Void> apply(ServerWebExchange exchange) {
        return Flux.fromIterable(chains.obtain())
                .filterWhen(chain -> chain.matches(exchange))
                .next()
                .flatMapMany(SecurityWebFilterChain::getWebFilters)
                .filter(SecurityHeaders::writesHeaders)
                .concatMap(filter -> filter.filter(exchange, passed -> Mono.empty()))
                .then();
    }

    /** Spring Security wraps its filters, and knows them by their order. */
    private static boolean writesHeaders(WebFilter filter) {
        return filter instanceof Ordered ordered
                && ordered.getOrder() == SecurityWebFiltersOrder.HTTP_HEADERS_WRITER.getOrder();
    }
}
