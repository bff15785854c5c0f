package io.ratelimit.spring.internal.reactive;

import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.web.RequestPaths;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpCookie;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.util.ClassUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** A reactive request as keys see it. */
final class ReactiveRequestView implements RequestView {

    private static final boolean SECURITY = ClassUtils.isPresent(
            "org.springframework.security.core.Authentication", ReactiveRequestView.class.getClassLoader());

    private final ServerWebExchange exchange;
    private final ServerHttpRequest request;
    private final @Nullable Principal principal;
    private final ClientAddresses addresses;

    private ReactiveRequestView(ServerWebExchange exchange, @Nullable Principal principal, ClientAddresses addresses) {
        this.exchange = exchange;
        this.request = exchange.getRequest();
        this.principal = principal;
        this.addresses = addresses;
    }

    /** Returns the request with the principal that is authenticated by now; never empty. */
    static Mono<RequestView> of(ServerWebExchange exchange, ClientAddresses addresses) {
        return exchange.getPrincipal()
                .filter(ReactiveRequestView::isSomebody)
                .map(Optional::of)
                .defaultIfEmpty(Optional.empty())
                .map(found -> new ReactiveRequestView(exchange, found.orElse(null), addresses));
    }

    /** True unless Spring Security calls it anonymous. */
    static boolean isSomebody(Principal principal) {
        return !SECURITY || Secured.isSomebody(principal);
    }

    @Override
    public String method() {
        return request.getMethod().name();
    }

    @Override
    public String path() {
        return RequestPaths.last(RequestPaths.of(request.getPath().pathWithinApplication()));
    }

    @Override
    public String rawPath() {
        return request.getPath().pathWithinApplication().value();
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeaders().getFirst(name);
    }

    @Override
    public @Nullable String cookie(String name) {
        HttpCookie cookie = request.getCookies().getFirst(name);
        return cookie == null ? null : cookie.getValue();
    }

    @Override
    public @Nullable String param(String name) {
        return request.getQueryParams().getFirst(name);
    }

    @Override
    public @Nullable Object attribute(String name) {
        return exchange.getAttribute(name);
    }

    @Override
    public @Nullable Principal principal() {
        return principal;
    }

    @Override
    public String clientAddress() {
        return addresses.find(peer(), this::headers);
    }

    @Override
    public List<String> possibleAddresses() {
        return addresses.findAll(peer(), this::headers);
    }

    private @Nullable String peer() {
        InetSocketAddress peer = request.getRemoteAddress();
        if (peer == null) {
            return null;
        }
        InetAddress address = peer.getAddress();
        // an address that Spring has read of a header is not resolved
        return address == null ? peer.getHostString() : address.getHostAddress();
    }

    /** {@code HttpHeaders} is a map in Spring Framework 6 only. */
    private List<String> headers(String name) {
        List<String> values = new ArrayList<>();
        request.getHeaders().forEach((header, found) -> {
            if (header.equalsIgnoreCase(name)) {
                values.addAll(found);
            }
        });
        return values;
    }

    /** A class of its own, because Spring Security is optional. */
    private static final class Secured {
        private static final AuthenticationTrustResolverImpl TRUST = new AuthenticationTrustResolverImpl();

        /** Spring Security gives all that are not authenticated one name. */
        static boolean isSomebody(Principal principal) {
            return !(principal instanceof Authentication authentication) || TRUST.isAuthenticated(authentication);
        }
    }
}
