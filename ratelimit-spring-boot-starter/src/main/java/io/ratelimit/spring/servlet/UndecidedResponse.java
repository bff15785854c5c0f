package io.ratelimit.spring.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * A response to a request that routes have still to decide on. Whatever answers before they could, such as Spring
 * Security when it turns a request away, makes them decide first. An answer that is refused goes nowhere. Not
 * thread-safe.
 */
final class UndecidedResponse extends HttpServletResponseWrapper {

    /** Decides unless that is done, and answers the request if it is refused. */
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

    /** For an answer that consists of a status and headers only. */
    void decide() throws IOException {
        isAdmitted();
    }

    /** Whether the answer given here is the one that the client gets. */
    private boolean isAdmitted() throws IOException {
        refused = refused || !verdict.admits();
        return !refused;
    }

    @Override
    public void sendError(int status) throws IOException {
        if (isAdmitted()) {
            super.sendError(status);
        }
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        if (isAdmitted()) {
            super.sendError(status, message);
        }
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        if (isAdmitted()) {
            super.sendRedirect(location);
        }
    }

    /** Of Servlet 6.1: the wrapper would hand it, and the two that follow, to the response without a decision. */
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        if (isAdmitted()) {
            if (clearBuffer) {
                super.resetBuffer();
            }
            super.setStatus(status);
            super.setHeader("Location", location);
            super.flushBuffer();
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
        if (isAdmitted()) {
            super.flushBuffer();
        }
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        return isAdmitted() ? super.getWriter() : new PrintWriter(Writer.nullWriter());
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        return isAdmitted() ? super.getOutputStream() : new Nowhere();
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
