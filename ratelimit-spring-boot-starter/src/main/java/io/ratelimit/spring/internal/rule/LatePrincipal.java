package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;

/** Warns once of a filter that authenticates requests after routes that ask for the principal have decided. Thread-safe. */
public final class LatePrincipal {

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

    /** An application whose principals fail when they are asked for is not asked again. */
    public void failed() {
        asked = true;
    }
}
