package io.ratelimit.spring.internal.reactive;

import java.util.function.BiPredicate;
import org.springframework.security.web.server.context.WebSessionServerSecurityContextRepository;
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

    /** Is compiled in, because Spring Security is optional. */
    private static final String CONTEXT =
            WebSessionServerSecurityContextRepository.DEFAULT_SPRING_SECURITY_CONTEXT_ATTR_NAME;

    private record State(String id, boolean hasUser) {
        static State of(WebSession session) {
            return new State(session.isStarted() ? session.getId() : "", session.getAttribute(CONTEXT) != null);
        }

        /** A log-out gives the session another id, too, and lets nobody in. */
        boolean isOf(State sent) {
            return id.equals(sent.id) || (sent.hasUser && !hasUser);
        }

        boolean letsIn(State sent) {
            return hasUser && !id.equals(sent.id);
        }
    }

    SentSession(ServerWebExchange exchange) {
        super(exchange);
    }

    /** Asks for the session no earlier than somebody does, because that may cost a call of its store. */
    @Override
    public Mono<WebSession> getSession() {
        return super.getSession().doOnNext(session -> getAttributes().putIfAbsent(SENT, State.of(session)));
    }

    /** Ends the session that the request has now, unless it is the one that was sent, with nobody let in since. */
    static Mono<Void> endOther(ServerWebExchange exchange) {
        return end(exchange, (session, sent) -> !session.isOf(sent));
    }

    /** Ends the session that the request has now if it has let somebody in: a log-in that the handler of its path answers. */
    static Mono<Void> endNew(ServerWebExchange exchange) {
        return end(exchange, State::letsIn);
    }

    private static Mono<Void> end(ServerWebExchange exchange, BiPredicate<State, State> isToEnd) {
        return exchange.getAttribute(SENT) instanceof State sent
                ? exchange.getSession()
                        .filter(session -> session.isStarted() && isToEnd.test(State.of(session), sent))
                        .flatMap(WebSession::invalidate)
                : Mono.empty();
    }
}
