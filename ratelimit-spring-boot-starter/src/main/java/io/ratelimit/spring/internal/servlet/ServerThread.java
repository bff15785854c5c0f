package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * The server's thread of a request. When that has become asynchronous, it goes out through the filters, which may set headers, while
 * others go on with the request; and no two threads may change a response's headers at a time. So others leave theirs to it until
 * it is out. Before, its handler waits for what they do. Thread-safe.
 */
final class ServerThread {

    private static final String NAME = ServerThread.class.getName();

    private final Thread thread = Thread.currentThread();
    private final List<Runnable> left = new ArrayList<>(0);
    private boolean isOut;

    private ServerThread() {}

    /** The calling thread begins to handle the request. */
    static ServerThread enters(HttpServletRequest request) {
        ServerThread entering = new ServerThread();
        request.setAttribute(NAME, entering);
        return entering;
    }

    /** Sets headers now, or when the server's thread goes out. */
    static void set(HttpServletRequest request, Runnable headers) {
        if (request.getAttribute(NAME) instanceof ServerThread server) {
            server.setOrLeave(request, headers);
        } else {
            headers.run();
        }
    }

    private synchronized void setOrLeave(HttpServletRequest request, Runnable headers) {
        if (!isOut && !thread.equals(Thread.currentThread()) && RequestThreads.isAsynchronous(request)) {
            left.add(headers);
        } else {
            headers.run();
        }
    }

    /** No filter is at work any more. */
    synchronized void goesOut() {
        isOut = true;
        left.forEach(Runnable::run);
        left.clear();
    }
}
