package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import java.security.Principal;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns once of a filter that authenticates requests after routes that ask for the principal have decided. Thread-safe. */
public final class LatePrincipal {

    private static final Logger LOG = LoggerFactory.getLogger(LatePrincipal.class);
    private static final long LONG_NANOS = 10_000_000;

    private final Warning late = new Warning(MessageCode.PRINCIPAL_KNOWN_LATE);
    private volatile boolean asked;

    /** True if a route has found no principal, and it is not known yet if there would have been one later. */
    public boolean isSought(PendingRoutes routes) {
        return !asked && routes.withoutPrincipal() != null;
    }

    /** The request has a principal now. */
    public void found(PendingRoutes routes) {
        asked = true;
        late.logOnce(
                "route '{}': a filter has set the request's principal behind those of the limiter, which decided without it: "
                        + "give that filter an order below theirs (-101)",
                routes.withoutPrincipal());
    }

    /** Asks for the principal, unless that has failed or taken long before: no request is to pay for a warning. */
    public void seek(PendingRoutes routes, Supplier<@Nullable Principal> principal) {
        long startNanos = System.nanoTime();
        try {
            if (principal.get() != null) {
                found(routes);
            }
        } catch (RuntimeException failed) { // the application meets it itself if it asks
            asked = true;
            LOG.debug(
                    "A request's principal could not be read: {}",
                    failed.getClass().getName());
        }
        if (System.nanoTime() - startNanos > LONG_NANOS) {
            asked = true;
        }
    }
}
