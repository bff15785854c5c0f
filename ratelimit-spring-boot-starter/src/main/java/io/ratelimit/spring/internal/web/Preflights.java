package io.ratelimit.spring.internal.web;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/** CORS preflights, which no handler answers, so that routes do not count them. */
public final class Preflights {

    private Preflights() {}

    /**
     * Returns whether a request is a preflight as a browser sends it, without credentials. A preflight with credentials
     * may be an attempt to guess a password.
     *
     * @param header returns the first value of a header
     */
    public static boolean isSpared(String method, UnaryOperator<@Nullable String> header) {
        return HttpMethod.OPTIONS.matches(method)
                && header.apply(HttpHeaders.ORIGIN) != null
                && header.apply(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD) != null
                && header.apply(HttpHeaders.AUTHORIZATION) == null;
    }
}
