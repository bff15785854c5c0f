package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps threads from setting headers of a response while filters do. When a request has become asynchronous, the server's thread goes
 * out through the filters, which may set headers, while others go on with the request; and no two threads may change a response's
 * headers at a time. So others leave theirs to that thread until it is out. Before, its handler waits for what they do. Thread-safe.
 */
public final class ServerThreadFilter implements Filter {

    private static final String THREAD = ServerThreadFilter.class.getName();

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        ServerThread thread = new ServerThread();
        request.setAttribute(THREAD, thread);
        try {
            chain.doFilter(request, response);
        } finally {
            thread.goesOut();
        }
    }

    /**
     * Sets headers now, or when the server's thread goes out. Does not throw what {@code headers} does not.
     *
     * @param waits is asked on other threads whether the response does not begin before
     */
    static void set(HttpServletRequest request, BooleanSupplier waits, Runnable headers) {
        ServerThread server = of(request);
        if (server == null) {
            headers.run();
        } else {
            server.setOrLeave(request, waits, headers);
        }
    }

    private static @Nullable ServerThread of(HttpServletRequest request) {
        try {
            return request.getAttribute(THREAD) instanceof ServerThread server ? server : null;
        } catch (IllegalStateException over) { // of Tomcat, just now
            return null;
        }
    }

    /** The thread on which a server handles a request, and what others leave to it. */
    private static final class ServerThread {

        private final Thread thread = Thread.currentThread();
        private final List<Runnable> left = new ArrayList<>(0);
        private boolean isOut;

        synchronized void setOrLeave(HttpServletRequest request, BooleanSupplier waits, Runnable headers) {
            if (!isOut
                    && !thread.equals(Thread.currentThread())
                    && RequestThreads.isAsynchronous(request)
                    && waits.getAsBoolean()) {
                left.add(headers);
            } else {
                headers.run();
            }
        }

        synchronized void goesOut() {
            isOut = true;
            left.forEach(Runnable::run);
            left.clear();
        }
    }
}
