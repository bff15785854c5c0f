package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.RequestView;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request that is another one in all but what a subclass knows better, such as the principal. */
public abstract class DelegatingRequest implements RequestView {

    protected final RequestView request;

    protected DelegatingRequest(RequestView request) {
        this.request = request;
    }

    @Override
    public @Nullable Principal principal() {
        return request.principal();
    }

    @Override
    public final String method() {
        return request.method();
    }

    @Override
    public final String path() {
        return request.path();
    }

    @Override
    public final String rawPath() {
        return request.rawPath();
    }

    @Override
    public final @Nullable String header(String name) {
        return request.header(name);
    }

    @Override
    public final @Nullable String cookie(String name) {
        return request.cookie(name);
    }

    @Override
    public final @Nullable String param(String name) {
        return request.param(name);
    }

    @Override
    public final @Nullable Object attribute(String name) {
        return request.attribute(name);
    }

    @Override
    public final String clientAddress() {
        return request.clientAddress();
    }

    @Override
    public final List<String> possibleAddresses() {
        return request.possibleAddresses();
    }
}
