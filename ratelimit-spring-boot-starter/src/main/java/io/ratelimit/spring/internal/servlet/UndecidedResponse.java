package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * The response to a request on which routes have not decided yet. If a component answers the request before that, such
 * as Spring Security when it rejects a request, the routes decide first. If they refuse the request, the answer of that
 * component is discarded. Not thread-safe.
 */
final class UndecidedResponse extends HttpServletResponseWrapper {

    /** Decides, unless that is done, and answers the request if it is refused. */
    @FunctionalInterface
    interface Verdict {
        boolean admits() throws IOException;
    }

    private final Verdict verdict;
    private boolean refused;

    UndecidedResponse(HttpServletResponse response, Verdict verdict) {
        super(response);
        this.verdict = verdict;
    }

    /**
     * Decides, unless that is done. Returns true if the answer given here, or by somebody else, is the one that the client gets.
     */
    boolean decide() throws IOException {
        refused = refused || !verdict.admits();
        return !refused;
    }

    @Override
    public void sendError(int status) throws IOException {
        if (decide()) {
            super.sendError(status);
        }
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        if (decide()) {
            super.sendError(status, message);
        }
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        if (decide()) {
            super.sendRedirect(location);
        }
    }

    /**
     * A method of Servlet 6.1. The wrapper would pass it, and the two that follow, to the response without a decision.
     */
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        if (decide()) {
            LaterRedirect.send((HttpServletResponse) getResponse(), location, status, clearBuffer);
        }
    }

    public void sendRedirect(String location, int status) throws IOException {
        sendRedirect(location, status, true);
    }

    public void sendRedirect(String location, boolean clearBuffer) throws IOException {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    @Override
    public void flushBuffer() throws IOException {
        if (decide()) {
            super.flushBuffer();
        }
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        return decide() ? super.getWriter() : new PrintWriter(Writer.nullWriter());
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        return decide() ? super.getOutputStream() : new Nowhere();
    }

    private static final class Nowhere extends ServletOutputStream {

        private final OutputStream nowhere = OutputStream.nullOutputStream();

        @Override
        public void write(int b) throws IOException {
            nowhere.write(b);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new IllegalStateException("the request is answered already");
        }
    }
}
