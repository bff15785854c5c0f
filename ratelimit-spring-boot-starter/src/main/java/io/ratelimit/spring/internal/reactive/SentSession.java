package io.ratelimit.spring.internal.reactive;

import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import org.springframework.web.server.WebSession;
import reactor.core.publisher.Mono;

/**
 * Remembers the session that a request was sent with, if any. A log-in begins another one or gives it another id, and its client
 * must not get that if it is refused: it is saved and handed out when the response is committed.
 */
final class SentSession extends ServerWebExchangeDecorator {

    private static final String SENT = SentSession.class.getName();

    SentSession(ServerWebExchange exchange) {
        super(exchange);
    }

    /** Asks for the session no earlier than somebody does, because that may cost a call of its store. */
    @Override
    public Mono<WebSession> getSession() {
        return super.getSession()
                .doOnNext(session -> getAttributes().putIfAbsent(SENT, session.isStarted() ? session.getId() : ""));
    }

    /** Ends the session that the request has now, unless it is the one that was sent. */
    static Mono<Void> endOther(ServerWebExchange exchange) {
        Object sent = exchange.getAttribute(SENT);
        return sent == null
                ? Mono.empty()
                : exchange.getSession()
                        .filter(session ->
                                session.isStarted() && !session.getId().equals(sent))
                        .flatMap(WebSession::invalidate);
    }
}
