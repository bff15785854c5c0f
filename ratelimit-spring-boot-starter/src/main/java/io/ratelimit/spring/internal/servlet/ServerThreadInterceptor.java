package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Keeps threads from setting headers of a response while filters do. When a request has become asynchronous, the server's thread goes
 * out through the filters, which may set headers, while others go on with the request; and no two threads may change a response's
 * headers at a time. So others leave theirs to the thread that dispatches the response, which no server begins before. Thread-safe.
 */
public final class ServerThreadInterceptor implements HandlerInterceptor {

    private static final String THREAD = ServerThreadInterceptor.class.getName();

    /** Called before the handler, and again when its response is dispatched. */
    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        ServerThread before = of(request);
        if (before != null) {
            before.setLeft();
        }
        request.setAttribute(THREAD, new ServerThread());
        return true;
    }

    /**
     * Sets headers now, or when the response is dispatched. Does not throw what {@code headers} does not.
     *
     * @param waits is asked on other threads whether the response is dispatched
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

    /** The thread on which a server handles a request, and what others leave to the next one. */
    private static final class ServerThread {

        private final Thread thread = Thread.currentThread();
        private final List<Runnable> left = new ArrayList<>(0);

        synchronized void setOrLeave(HttpServletRequest request, BooleanSupplier waits, Runnable headers) {
            if (!thread.equals(Thread.currentThread())
                    && RequestThreads.isAsynchronous(request)
                    && waits.getAsBoolean()) {
                left.add(headers);
            } else {
                headers.run();
            }
        }

        synchronized void setLeft() {
            left.forEach(Runnable::run);
            left.clear();
        }
    }
}
