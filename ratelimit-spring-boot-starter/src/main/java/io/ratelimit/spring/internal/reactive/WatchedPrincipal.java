package io.ratelimit.spring.internal.reactive;

import java.security.Principal;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import reactor.core.publisher.Mono;

/** Sees the principal when the application asks for it, and does not ask itself: to find one may take long, or never end. */
final class WatchedPrincipal extends ServerWebExchangeDecorator {

    private final Runnable found;

    /** @param found is run when somebody's principal is found */
    WatchedPrincipal(ServerWebExchange exchange, Runnable found) {
        super(exchange);
        this.found = found;
    }

    @Override
    public <T extends Principal> Mono<T> getPrincipal() {
        return super.<T>getPrincipal().doOnNext(principal -> {
            if (ReactiveRequestView.isSomebody(principal)) {
                found.run();
            }
        });
    }
}
