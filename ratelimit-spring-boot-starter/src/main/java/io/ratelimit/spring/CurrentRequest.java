package io.ratelimit.spring;

import io.ratelimit.Decision;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The web request that the calling thread works on, for annotated methods. Implementations are thread-safe. */
public interface CurrentRequest {

    /** The request; null outside of one. */
    @Nullable
    RequestView view();

    /** Tells the response of the request, if there is one, how the limits stand; may be used on another thread. */
    Consumer<Decision> response();

    /** Where there are no web requests. */
    static CurrentRequest none() {
        return new CurrentRequest() {
            @Override
            public @Nullable RequestView view() {
                return null;
            }

            @Override
            public Consumer<Decision> response() {
                return decision -> {};
            }
        };
    }
}
