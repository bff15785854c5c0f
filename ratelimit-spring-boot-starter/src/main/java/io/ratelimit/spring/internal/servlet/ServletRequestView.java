package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.web.QueryParam;
import io.ratelimit.spring.internal.web.RequestPaths;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;
import org.springframework.web.util.UriUtils;
import org.springframework.web.util.WebUtils;

/** A servlet request as keys see it. */
final class ServletRequestView implements RequestView {

    /** Servers read it for any method. */
    private static final String MULTIPART = "multipart/form-data";

    private static final String FORM = "application/x-www-form-urlencoded";
    private static final Set<String> NO_FORM = Set.of("GET", "HEAD");

    private final HttpServletRequest request;
    private final ClientAddresses addresses;

    ServletRequestView(HttpServletRequest request, ClientAddresses addresses) {
        this.request = request;
        this.addresses = addresses;
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String path() {
        try {
            return RequestPaths.last(RoutePath.of(request));
        } catch (IllegalArgumentException unreadable) { // the refusal of such a request may ask for it
            return rawPath();
        }
    }

    @Override
    public String rawPath() {
        return request.getRequestURI().substring(request.getContextPath().length());
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeader(name);
    }

    /** Decodes it, as Spring MVC does for a {@code @CookieValue}, so that all its spellings are one. */
    @Override
    public @Nullable String cookie(String name) {
        Cookie cookie = WebUtils.getCookie(request, name);
        if (cookie == null) {
            return null;
        }
        try {
            return UriUtils.decode(cookie.getValue(), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notEncoded) {
            return cookie.getValue();
        }
    }

    /**
     * Asks the server, which may read a query in a way of its own, as the handler does. Of a form it would read the body, which is the
     * handler's; and some servers fail where nothing asks for a parameter that cannot be read.
     */
    @Override
    public @Nullable String param(String name) {
        String query = request.getQueryString();
        if (query == null) {
            return null;
        }
        if (hasForm()) {
            return QueryParam.first(query, name);
        }
        try {
            return request.getParameter(name);
        } catch (RuntimeException unreadable) {
            UnreadableParameters.note(request, name, unreadable);
            return QueryParam.first(query, name);
        }
    }

    /** Any client may send such a type: where no server reads a form, it must not change how a parameter is read. */
    private boolean hasForm() {
        String type = request.getContentType();
        return StringUtils.startsWithIgnoreCase(type, MULTIPART)
                || (StringUtils.startsWithIgnoreCase(type, FORM) && !NO_FORM.contains(request.getMethod()));
    }

    @Override
    public @Nullable Object attribute(String name) {
        return request.getAttribute(name);
    }

    @Override
    public @Nullable Principal principal() {
        return Authenticated.by(request);
    }

    @Override
    public String clientAddress() {
        return addresses.find(request.getRemoteAddr(), this::headers);
    }

    @Override
    public List<String> possibleAddresses() {
        return addresses.findAll(request.getRemoteAddr(), this::headers);
    }

    private List<String> headers(String name) {
        return Collections.list(request.getHeaders(name));
    }
}
