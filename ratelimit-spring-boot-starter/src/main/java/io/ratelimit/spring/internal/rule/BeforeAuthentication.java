package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.RequestView;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/** A request whose principal is unknown until the route has decided; knows if it was read. Not thread-safe. */
final class BeforeAuthentication extends DelegatingRequest {

    private boolean principalRead;
    private boolean decided;

    BeforeAuthentication(RequestView request) {
        super(request);
    }

    /** True if a key has read the principal, also one that caught the exception. */
    boolean principalWasRead() {
        return principalRead;
    }

    /** The route has decided: what is evaluated when the request ends may know the principal. */
    void decided() {
        decided = true;
    }

    @Override
    public @Nullable Principal principal() {
        if (decided) {
            return request.principal();
        }
        principalRead = true;
        throw new NotKnownException("the principal is not known before authentication");
    }
}
