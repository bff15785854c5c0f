package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;

/** A request that no filter has seen: the one in the chain has seen it, but what it wrote is discarded. */
final class UnfilteredRequest extends HttpServletRequestWrapper {

    private UnfilteredRequest(HttpServletRequest request) {
        super(request);
    }

    /** Runs a filter for the request as if for the first time, with nothing behind it. */
    static void run(Filter filter, HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            filter.doFilter(new UnfilteredRequest(request), response, (passedRequest, passedResponse) -> {});
        } catch (ServletException failed) {
            throw new IOException("a filter could not give a refusal its headers", failed);
        }
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
