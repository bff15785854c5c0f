package io.ratelimit.spring;

import io.ratelimit.Decision;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The web request that the calling thread works on, for annotated methods. Implementations are thread-safe. */
public interface CurrentRequest {

    /** Returns the request; null outside of one. */
    @Nullable
    RequestView view();

    /**
     * Returns what writes the limits of a bean to the response, if there is a request and the bean is its endpoint: clients
     * see the limits of beans that an endpoint calls only if these refuse the request. It may be used on another thread and never fails.
     */
    Consumer<Decision> response(Class<?> bean);

    /** For applications without web requests. */
    static CurrentRequest none() {
        return new CurrentRequest() {
            @Override
            public @Nullable RequestView view() {
                return null;
            }

            @Override
            public Consumer<Decision> response(Class<?> bean) {
                return decision -> {};
            }
        };
    }
}
