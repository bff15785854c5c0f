package io.ratelimit.spring;

import io.ratelimit.Decision;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The web request that the calling thread works on, for annotated methods. Implementations are thread-safe. */
public interface CurrentRequest {

    /** The request; null outside of one. */
    @Nullable
    RequestView view();

    /**
     * Writes how the limits of a bean stand to the response of the request, if there is one and the bean is its
     * endpoint: what an endpoint calls is not its clients' business. What it returns may be used on another thread, and
     * never fails.
     */
    Consumer<Decision> response(Class<?> bean);

    /** Where there are no web requests. */
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
