package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * Ends a request before the last byte of its response is sent: a client that has the whole response may send its next
 * request at once, and finds free what the first one took. The last byte is known if the length is declared, if there is
 * no body, or when the body is closed; otherwise the server sends it when the filters have returned. A handler that has closed its
 * body, or written but not flushed all of it, may still fail: only the slots are freed then. A response that cannot be sent ends
 * its request, too. Not thread-safe.
 */
final class EndingResponse extends HttpServletResponseWrapper {

    private final SentBody body;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    EndingResponse(HttpServletRequest request, HttpServletResponse response, ResponseEnd end) {
        super(response);
        this.body = new SentBody(request, response, end);
    }

    /** Some servers send an error or a redirect at once. */
    private void answering() {
        if (!isCommitted() && !body.isIncluding()) {
            body.closing();
        }
    }

    @Override
    public void setContentLength(int bytes) {
        body.declare(bytes);
        super.setContentLength(bytes);
    }

    @Override
    public void setContentLengthLong(long bytes) {
        body.declare(bytes);
        super.setContentLengthLong(bytes);
    }

    @Override
    public void setHeader(String name, String value) {
        declare(name, value);
        super.setHeader(name, value);
    }

    @Override
    public void addHeader(String name, String value) {
        declare(name, value);
        super.addHeader(name, value);
    }

    @Override
    public void setIntHeader(String name, int value) {
        declare(name, Integer.toString(value));
        super.setIntHeader(name, value);
    }

    @Override
    public void addIntHeader(String name, int value) {
        declare(name, Integer.toString(value));
        super.addIntHeader(name, value);
    }

    private void declare(String name, @Nullable String value) {
        if ("Content-Length".equalsIgnoreCase(name) && value != null && value.matches("\\d{1,18}")) {
            body.declare(Long.parseLong(value));
        }
    }

    @Override
    public void reset() {
        super.reset();
        body.reset();
        stream = null;
        writer = null;
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        body.resetWritten();
    }

    @Override
    public void flushBuffer() throws IOException {
        if (!body.flushing()) {
            return;
        }
        try {
            super.flushBuffer();
        } catch (IOException failure) {
            throw body.failed(failure);
        }
    }

    @Override
    public void sendError(int status) throws IOException {
        answering();
        super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        answering();
        super.sendError(status, message);
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        answering();
        super.sendRedirect(location);
    }

    /** A method of Servlet 6.1. The wrapper would pass it, and the two that follow, to the response without an end. */
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        answering();
        LaterRedirect.send((HttpServletResponse) getResponse(), location, status, clearBuffer);
    }

    public void sendRedirect(String location, int status) throws IOException {
        sendRedirect(location, status, true);
    }

    public void sendRedirect(String location, boolean clearBuffer) throws IOException {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        if (stream == null) {
            stream = new EndingStream(super.getOutputStream(), body, this::getBufferSize);
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (writer == null) {
            writer = new PrintWriter(new EndingWriter(
                    super.getWriter(), Charset.forName(getCharacterEncoding()), body, this::getBufferSize));
        }
        return writer;
    }
}
