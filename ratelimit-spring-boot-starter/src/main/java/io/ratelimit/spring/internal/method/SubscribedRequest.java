package io.ratelimit.spring.internal.method;

import io.ratelimit.Decision;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.rule.OfOtherPrincipal;
import java.security.Principal;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The web request that a subscription belongs to. Travels in the Reactor context, with this type as its key.
 * Implementations are thread-safe.
 */
public interface SubscribedRequest {

    /** The request, with the principal that the subscriber's context holds; never empty. */
    Mono<RequestView> view();

    /** The same as {@link CurrentRequest#response}. */
    Consumer<Decision> response(Class<?> bean);

    /** The same for what decides on the whole request, as a route does. */
    Consumer<Decision> response();

    /** Returns the seconds that the response tells for a true wait. */
    default long told(long seconds) {
        return seconds;
    }

    /**
     * A request whose response shows the limits of its endpoint only, which knows the request already. Its principal is that of the
     * calling thread: others know none.
     */
    static SubscribedRequest of(RequestView request) {
        Principal principal = request.principal();
        RequestView view = new OfOtherPrincipal(request) {
            @Override
            public @Nullable Principal principal() {
                return principal;
            }
        };
        return new SubscribedRequest() {
            @Override
            public Mono<RequestView> view() {
                return Mono.just(view);
            }

            @Override
            public Consumer<Decision> response(Class<?> bean) {
                return response();
            }

            @Override
            public Consumer<Decision> response() {
                return decision -> {};
            }
        };
    }
}
