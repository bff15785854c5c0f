package io.ratelimit.spring.internal.method;

import io.ratelimit.Decision;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.RequestView;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/**
 * The web request that a subscription belongs to. Travels in the Reactor context, with this type as its key.
 * Implementations are thread-safe.
 */
public interface SubscribedRequest {

    /** The request, with the principal that the subscriber's context holds; empty if it is over. */
    Mono<RequestView> view();

    /** The same as {@link CurrentRequest#response}. */
    Consumer<Decision> response(Class<?> bean);

    /** The same for what decides on the whole request, as a route does. */
    Consumer<Decision> response();

    /** Returns the seconds that the response tells for a true wait. */
    default long told(long seconds) {
        return seconds;
    }
}
