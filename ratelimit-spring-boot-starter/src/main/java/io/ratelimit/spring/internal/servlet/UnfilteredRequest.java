package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;

/** A request that no filter has seen: the one in the chain has seen it, but what it wrote is discarded. */
final class UnfilteredRequest extends HttpServletRequestWrapper {

    UnfilteredRequest(HttpServletRequest request) {
        super(request);
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        return isMark(name) ? null : super.getAttribute(name);
    }

    @Override
    public void setAttribute(String name, @Nullable Object value) {
        if (!isMark(name)) {
            super.setAttribute(name, value);
        }
    }

    @Override
    public void removeAttribute(String name) {
        if (!isMark(name)) {
            super.removeAttribute(name);
        }
    }

    private static boolean isMark(String name) {
        return name.endsWith(OncePerRequestFilter.ALREADY_FILTERED_SUFFIX);
    }
}
