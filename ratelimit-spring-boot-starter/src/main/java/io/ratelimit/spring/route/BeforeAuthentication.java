package io.ratelimit.spring.route;

import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.key.NotAuthenticatedYetException;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/** A request whose principal is not known yet. Notes whether it was asked for. Not thread-safe. */
final class BeforeAuthentication implements RequestView {

    private final RequestView request;
    private boolean asked;

    BeforeAuthentication(RequestView request) {
        this.request = request;
    }

    /** Whether a key has asked for the principal, also one that caught the exception. */
    boolean wasAskedForPrincipal() {
        return asked;
    }

    @Override
    public String method() {
        return request.method();
    }

    @Override
    public String path() {
        return request.path();
    }

    @Override
    public @Nullable String header(String name) {
        return request.header(name);
    }

    @Override
    public @Nullable String cookie(String name) {
        return request.cookie(name);
    }

    @Override
    public @Nullable String param(String name) {
        return request.param(name);
    }

    @Override
    public @Nullable Principal principal() {
        asked = true;
        throw new NotAuthenticatedYetException();
    }

    @Override
    public String clientAddress() {
        return request.clientAddress();
    }
}
