package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;

/** Marks the time in which filters are at work on a request; see {@link ServerThread}. Thread-safe. */
public final class ServerThreadFilter implements Filter {

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        ServerThread thread = ServerThread.enters((HttpServletRequest) request);
        try {
            chain.doFilter(request, response);
        } finally {
            thread.goesOut();
        }
    }
}
