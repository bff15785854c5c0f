package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.RequestView;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request whose principal is unknown until the route has decided; knows if it was read. Not thread-safe. */
final class BeforeAuthentication implements RequestView {

    private final RequestView request;
    private boolean principalRead;
    private boolean decided;

    BeforeAuthentication(RequestView request) {
        this.request = request;
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
    public String method() {
        return request.method();
    }

    @Override
    public String path() {
        return request.path();
    }

    @Override
    public String rawPath() {
        return request.rawPath();
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
    public @Nullable Object attribute(String name) {
        return request.attribute(name);
    }

    @Override
    public @Nullable Principal principal() {
        if (decided) {
            return request.principal();
        }
        principalRead = true;
        throw new NotKnownException("the principal is not known before authentication");
    }

    @Override
    public String clientAddress() {
        return request.clientAddress();
    }

    @Override
    public List<String> possibleAddresses() {
        return request.possibleAddresses();
    }
}
