package io.ratelimit.spring.internal.reactive;

import io.ratelimit.spring.internal.rule.Ending;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;

/** Tells how an exchange has ended. */
final class ExchangeEnding {

    private static final String LEFT = ExchangeEnding.class.getName() + ".left";
    private static final String BROKEN_OFF = ExchangeEnding.class.getName() + ".brokenOff";

    private ExchangeEnding() {}

    /**
     * Keeps an exception that has left the handlers, for the end of its exchange: it counts, whatever answers it. The first one after
     * the response has begun has broken that off, and nobody can answer it any more.
     */
    static void left(Throwable failure, ServerWebExchange exchange) {
        if (exchange.getResponse().isCommitted()) {
            exchange.getAttributes().putIfAbsent(BROKEN_OFF, failure);
        } else {
            exchange.getAttributes().put(LEFT, failure);
        }
    }

    /** Keeps an exception of the body of a response. One that has not begun is answered by the application. */
    static void broken(Throwable failure, ServerWebExchange exchange) {
        if (exchange.getResponse().isCommitted()) {
            left(failure, exchange);
        }
    }

    /** The response is sent, or broken off. */
    static Ending of(ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        if (exchange.getAttribute(BROKEN_OFF) instanceof Throwable failure) {
            return Ending.brokenOff(failure, response.getHeaders()::getFirst);
        }
        return exchange.getAttribute(LEFT) instanceof Throwable left
                ? Ending.answeredElsewhere(status(response), left, response.getHeaders()::getFirst)
                : Ending.response(status(response), null, response.getHeaders()::getFirst);
    }

    /** The response could not be sent, because an action before that has failed. */
    static Ending unsent(Throwable failure, ServerWebExchange exchange) {
        return Ending.thrown(failure, exchange.getResponse().getHeaders()::getFirst);
    }

    /** The client has left. An exception that had broken the response off by then counts, and one that the response answers, too. */
    static Ending cutOff(ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        boolean isBegun = response.isCommitted();
        if (exchange.getAttribute(BROKEN_OFF) != null || (isBegun && exchange.getAttribute(LEFT) != null)) {
            return of(exchange);
        }
        return Ending.cutOff(isBegun ? status(response) : null, null, response.getHeaders()::getFirst);
    }

    private static int status(ServerHttpResponse response) {
        HttpStatusCode status = response.getStatusCode();
        return status == null ? 200 : status.value();
    }
}
